import { ApiError } from 'homelab-ports/failure'
import { notSent } from 'homelab-ports/power-words'
import { canonicalJson } from 'node-kit/canonical'
import { drillPool, type Guest } from 'protocol'
import { redacted } from 'redaction/assignments'
import { named } from 'redaction/visible'
import { z } from 'zod'
import { isMarked } from '../../drill/drill.ts'
import { type Becomes, type Effect, Mistake } from '../../gate/effect.ts'
import type { World } from '../../gate/world.ts'
import { oneLine } from '../../homelab/format.ts'
import { lockAdvice } from '../../homelab/locks.ts'
import { configured, type GuestConfig, readConfig, volumesOf } from '../../homelab/operations/guest-config.ts'
import { leftOf } from '../../homelab/operations/left-of.ts'
import { safetyOf } from '../../homelab/operations/safety-snapshot.ts'
import { guestPath } from '../../homelab/pve/guest.ts'
import { homelabTool, rights } from '../homelab/homelab-tool.ts'
import type { Undo } from '../tool.ts'
import { configKey, isAs, reachesOut } from './config-keys.ts'
import {
  advice,
  freeGuest,
  guestEffect,
  placeOf,
  shown,
  shownKey,
  tagsIn,
  taskTimeoutMs,
  vmidOf,
  who,
} from './guest-tool.ts'
import { laterOf, safetyWords, takenBefore } from './safety.ts'

/** Timeout of the answer, ms. A change of devices may take a while on the node. */
const answerMs = 120_000
const Value = z.union([z.string(), z.number()]).transform(String)
const input = z.strictObject({
  vmid: vmidOf,
  set: z.record(z.string(), Value).optional().describe('Values by key.'),
  remove: z.array(z.string()).optional().describe('Keys.'),
  expect: z.record(z.string(), z.string().nullable()).optional().describe('Only while these are so. null: not set.'),
})
type Asked = z.output<typeof input>

const changesOf = ({ set = {}, remove = [] }: Asked): [string, string | undefined][] => [
  ...Object.entries(set),
  ...remove.map((key): [string, undefined] => [key, undefined]),
]
/** True if a change of this key never goes back by itself: on a disk data may have been written, and others may depend on an address of a network. */
const isLasting = (key: string) =>
  configKey(key)?.isDisk === true || /^(?:net\d+|ipconfig\d+|nameserver|searchdomain)$/.test(key)
const isSmall = (asked: Asked) => changesOf(asked).every(([key]) => configKey(key)?.isSmall)

export const setGuestConfig = homelabTool({
  name: 'set_guest_config',
  title: 'Change a guest’s configuration',
  description:
    'Sets or removes keys of a guest’s configuration, as Proxmox writes them; read it first. Some wait for its next stop.',
  tier: 'yellow',
  touches: [{ kind: 'config', on: 'guest' }],
  raises: [
    { tier: 'red', words: 'any key but description and tags, and tags that a rule, a role or the topology names' },
    { tier: 'black', words: 'args, hookscript, passwords, and devices or folders of the node' },
  ],
  effects: (asked, world) => [
    guestEffect(
      'config',
      {
        vmid: asked.vmid,
        deed: deedOf(asked),
        sentence: (target) => sentenceOf(asked, who(target)),
        ...tierOf(asked, world),
        becomes: marksOf(asked),
      },
      world,
    ),
  ],
  async prepare(asked, context, ports) {
    const { guest, config } = await freeGuest(ports, { vmid: asked.vmid }, context)
    mustFit(asked, guest, config)
    const { digest } = config
    const isTakenBack = asked.expect !== undefined
    const safety =
      isSmall(asked) || isTakenBack
        ? undefined
        : await safetyOf(
            ports.api,
            { place: guest, config, change: canonicalJson(asked.set ?? {}), storages: ports.cluster.state().storages },
            context,
          )
    const keys = changesOf(asked)
    const waits = guest.type === 'vm' && guest.status !== 'stopped' && !isSmall(asked)
    return {
      becomes: { ...marksOf(asked), ...(keys.some(([key]) => key === 'tags') && { had: tagsIn(config.values) }) },
      now: keys.map(([key]) => `${key}: ${shownKey(config, key)}`).join('; '),
      then: `${keys.map(([key, value]) => `${key}: ${value === undefined ? 'removed' : shown(value)}`).join('; ')}${waits ? '; what cannot change while it runs waits for its next stop' : ''}${safetyWords(safety)}`,
      undo: undoOf(asked, config, guest),
      ...(keys.some(([key]) => isLasting(key)) && { mayGoBack: false }),
      basis: { configuration: digest },
      ...laterOf(ports.api, asked.vmid, safety),
    }
  },
  ending: ({ vmid, set = {}, remove = [] }) => ({
    look: `Proxmox names no task of it. Read ${vmid} with get_guest_config: ${[...Object.keys(set), ...remove].join(', ')} show whether it was changed.`,
  }),
  needs: [
    rights.guests,
    rights.options,
    rights.processors,
    rights.memory,
    rights.networks,
    rights.disks,
    rights.useBridges,
  ],
  timeoutMs: taskTimeoutMs,
  input,
  example: { vmid: 101, set: { description: 'usual' } },
  output: z.object({
    vmid: z.int(),
    ok: z.boolean(),
    values: z.record(z.string(), z.string().nullable()).describe('The keys as they are configured now. null: not set.'),
    pending: z.array(z.string()).describe('The keys that wait for its next stop.'),
    safetySnapshot: z.string().optional(),
    refused: z.string().optional().describe('Proxmox’s words.'),
  }),
  async run(asked, context, ports) {
    const { vmid } = asked
    const place = placeOf(ports, vmid, context.target)
    const { signal } = context
    const before = await freeGuest(ports, { vmid }, context)
    mustFit(asked, before.guest, before.config)
    const safety = await takenBefore(ports, place, context)
    if ('failed' in safety) return { ...safety.failed, data: nothing(vmid, safety.failed.summary) }
    const { name } = safety
    // The snapshot is listed in the configuration file, so the file's digest has changed. The keys that the call sets must not have changed.
    const config = name === undefined ? before.config : await readConfig(ports.api, place, { signal })
    for (const [key] of changesOf(asked)) {
      if (configured(config, key) !== configured(before.config, key))
        throw new Mistake(`set: ${key} was changed by somebody else just now. Nothing was changed.`)
    }
    const form = {
      ...asked.set,
      ...(asked.remove !== undefined && asked.remove.length > 0 && { delete: asked.remove.join(',') }),
      digest: config.digest,
    }
    const extra = name === undefined ? {} : { safetySnapshot: name }
    const kept = name === undefined ? '' : ` The snapshot ${name} was taken before.`
    const path = [...guestPath(place), 'config']
    try {
      await ports.api.change({ method: 'PUT', path, form }, { signal, answerMs })
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'cluster_refused') throw error
      const said = oneLine(error.words, 300)
      const isSent = error.words !== notSent
      const left =
        !isSent || (error.status ?? 0) < 500 ? 'Nothing was changed.' : await leftOf(ports.api, place, signal)
      const text = `${vmid}: ${isSent ? 'Proxmox refused' : 'not sent'}: "${said}". ${left} ${advice(said, false, lockAdvice(place, ports.cluster.state()))}${kept}`
      return {
        text,
        summary: `${isSent ? 'Refused' : 'Not sent'}: ${oneLine(said, 120)}`,
        data: { ...nothing(vmid, said), ...extra },
        isError: true,
      }
    }
    await ports.api.noteResult?.({ method: 'PUT', path, form }, signal)
    const after = await readConfig(ports.api, place, { signal })
    const keys = changesOf(asked).map(([key]) => key)
    const waiting = keys.filter((key) => after.pending.has(key))
    const summary = `${keys.join(', ')} changed${waiting.length === 0 ? '' : `; waiting for its next stop: ${waiting.join(', ')}`}`
    const shownNow = keys.map((key) => `${key}: ${oneLine(configured(after, key) ?? 'not set', 200)}`)
    return {
      text: `${vmid}: ${summary}. Configured now: ${shownNow.join('; ')}.${kept}`,
      summary,
      data: {
        vmid,
        ok: true,
        pending: waiting,
        values: Object.fromEntries(keys.map((key) => [key, configured(after, key) ?? null])),
        ...extra,
      },
    }
  },
})

const nothing = (vmid: number, refused: string) => ({ vmid, ok: false, values: {}, pending: [], refused })

const mostNamed = 3
function deedOf(asked: Asked): string {
  const keys = changesOf(asked).map(([key]) => key)
  const isNameable = keys.length <= mostNamed && keys.every((key) => configKey(key) !== undefined)
  return `change ${isNameable ? keys.join(', ') : `${keys.length} settings`} of ${asked.vmid}`
}

function sentenceOf(asked: Asked, guest: string): string {
  const { set = {}, remove = [] } = asked
  const gets = Object.entries(set).map(([key, value]) => `${named(key)} ${shown(value)}`)
  const loses = remove.map((key) => named(key))
  const parts = [
    ...(gets.length === 0 ? [] : [`gets ${gets.join(', ')}`]),
    ...(loses.length === 0 ? [] : [`loses ${loses.join(', ')}`]),
  ]
  return `${guest} ${parts.join(' and ')}.`
}

/** @throws Mistake for arguments that Proxmox would refuse for every guest */
function tierOf(asked: Asked, world: World): Pick<Effect, 'atLeast'> {
  const changes = changesOf(asked)
  if (changes.length === 0) throw new Mistake('set: neither set nor remove names a key.')
  const names = changes.map(([key]) => key)
  const twice = names.find((key, index) => names.indexOf(key) !== index)
  if (twice !== undefined) throw new Mistake(`remove: ${oneLine(twice, 40)} is set and removed at once.`)
  const refused = changes.filter(
    ([key, value]) => configKey(key) === undefined || (configKey(key)?.isDisk && reachesOut(value ?? '')),
  )
  if (refused.length > 0) {
    const which = refused.map(([key]) => named(key)).join(', ')
    return {
      atLeast: {
        tier: 'black',
        because: `JARVIS does not change ${which}: it may reach out of the guest or give access to it, or nobody has said what it does.`,
      },
    }
  }
  for (const [key, value] of changes) {
    const known = configKey(key)
    if (value?.includes(redacted))
      throw new Mistake(`set: ${key} holds ${redacted}, which stands for a secret and is never written back.`)
    if (value !== undefined && known?.value.test(value) === false)
      throw new Mistake(`set: ${key} must be ${known.say}.`)
  }
  const note = noteOf(asked, world)
  if (note.atLeast !== undefined || isSmall(asked)) return note
  const which = names.filter((key) => !configKey(key)?.isSmall).join(', ')
  return { atLeast: { tier: 'red', because: `It changes how the guest is made: ${which}.` } }
}

/** The facts about the guest as the change leaves them. Later calls about the guest are judged by these facts. */
function marksOf(asked: Asked): Becomes {
  const changes = new Map(changesOf(asked))
  const name = ['name', 'hostname'].find((key) => changes.has(key))
  return {
    ...(changes.has('tags') && { tags: tagsIn({ tags: changes.get('tags') ?? '' }) }),
    // Proxmox names a guest without a name by its VMID, which tells nothing, so the name is empty here.
    ...(name !== undefined && { name: changes.get(name) ?? '' }),
  }
}

/** A new note raises the tier if it can turn the guest into a restore drill's copy, or turn such a copy into a usual guest. */
function noteOf(asked: Asked, { cluster }: World): Pick<Effect, 'atLeast'> {
  const changes = new Map(changesOf(asked))
  const pool = cluster.guests.find(({ vmid }) => vmid === asked.vmid)?.pool
  if (!changes.has('description') || (pool !== drillPool && !isMarked(changes.get('description') ?? ''))) return {}
  const because = 'By its note a guest is known as the copy of a restore drill, which is destroyed without a question.'
  return { atLeast: { tier: 'red', because, isAlways: true } }
}

/** @throws Mistake if the change does not fit the guest as it is */
function mustFit(asked: Asked, guest: Guest, config: GuestConfig) {
  for (const [key, wanted] of Object.entries(asked.expect ?? {})) {
    const actual = configured(config, key)
    if (!isAs(key, wanted ?? undefined, actual)) {
      throw new Mistake(
        `expect: ${named(key)} is ${shown(actual)} now, and was left as ${shown(wanted ?? undefined)}: somebody changed it since. Nothing was changed.`,
      )
    }
  }
  const changes = changesOf(asked)
  for (const [key, value] of changes) {
    const known = configKey(key)
    if (known?.type !== undefined && known.type !== guest.type) {
      throw new Mistake(`set: a ${guest.type === 'vm' ? 'virtual machine' : 'container'} has no ${key}.`)
    }
    if (value !== undefined && known?.isDisk) mustBeOwn({ key, value }, guest, config)
    if (value === undefined && configured(config, key) === undefined) throw new Mistake(`remove: ${key} is not set.`)
  }
  if (changes.every(([key, value]) => value === configured(config, key))) {
    throw new Mistake('set: all of it is so already: nothing needs to be done.')
  }
}

/** Checks the new value of a disk: the disk keeps its volume, gets a new one, takes back an unused one, or is a drive for CDs. @throws Mistake */
function mustBeOwn({ key, value }: { key: string; value: string }, { vmid }: Guest, config: GuestConfig) {
  const [volume = '', ...options] = value.replace(/^(?:file|volume)=/, '').split(',')
  const own = Object.entries(config.values).filter(([name]) => /^unused\d+$/.test(name) || name === key)
  const isOwn = own.some(([, other]) => other.split(',')[0] === volume)
  const isCd = options.includes('media=cdrom') && (volume === 'none' || /^[\w.-]+:iso\/[\w.+-]+$/.test(volume))
  if (isOwn || isCd || /^[\w.-]+:[1-9]\d{0,5}$/.test(volume)) {
    const there = volumesOf(config.values).find((disk) => disk.key === key)
    if (there === undefined || isOwn || isCd) return
    throw new Mistake(`set: ${key} holds ${there.id} already: choose a key that is free.`)
  }
  throw new Mistake(
    `set: ${key} must keep its volume, or be STORAGE:GIB for a new one; ${oneLine(volume, 80)} is no disk of ${vmid}.`,
  )
}

/** The undo writes back the configured values. */
function undoOf(asked: Asked, config: GuestConfig, { vmid }: Guest): Undo {
  const changes = changesOf(asked)
  const old = changes.map(([key]) => [key, configured(config, key)] as const)
  const secret = old.find(([, value]) => value?.includes(redacted) || /^\*+$/.test(value ?? ''))
  if (secret !== undefined)
    return { kind: 'none', because: `The old value of ${secret[0]} holds a secret, which JARVIS does not know.` }
  const back = old.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]))
  const odd = back.find(([key, value]) => configKey(key)?.value.test(value) !== true)
  if (odd !== undefined) return { kind: 'none', because: `The old value of ${odd[0]} is one that JARVIS does not set.` }
  const made = old.flatMap(([key, value]) => (value === undefined ? [key] : []))
  const words = [
    ...back.map(([key, value]) => `${key} goes back to ${shown(value)}`),
    ...made.map((key) => `${key} is removed again`),
  ]
  const isNewDisk = changes.some(([key, value]) => configKey(key)?.isDisk && value !== undefined && made.includes(key))
  return {
    kind: 'call',
    toolName: 'set_guest_config',
    input: {
      vmid,
      ...(back.length > 0 && { set: Object.fromEntries(back) }),
      ...(made.length > 0 && { remove: made }),
      expect: Object.fromEntries(changes.map(([key, value]) => [key, value ?? null])),
    },
    sentence: `${words.join(', ')}.`.replace(/^./, (first) => first.toUpperCase()),
    ...(isNewDisk && { loses: 'The new volume stays as an unused disk.' }),
  }
}
