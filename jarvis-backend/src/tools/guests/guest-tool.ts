import { ApiError } from 'homelab-ports/failure'
import type { CallOptions } from 'homelab-ports/ports'
import { notSent } from 'homelab-ports/power-words'
import { asFarAsSeen, type Guest, type Storage, type Target } from 'protocol'
import { named, plainWord, quoted } from 'redaction/visible'
import { z } from 'zod'
import { type Becomes, type Effect, Mistake } from '../../gate/effect.ts'
import type { EffectKind } from '../../gate/effect-kinds.ts'
import { guestTarget } from '../../gate/targets.ts'
import type { World } from '../../gate/world.ts'
import { oneLine } from '../../homelab/format.ts'
import { lockAdvice } from '../../homelab/locks.ts'
import { configured, type GuestConfig, readConfig, record } from '../../homelab/operations/guest-config.ts'
import { leftOf, reasonOf } from '../../homelab/operations/left-of.ts'
import { runTask, type TaskOutcome, type TaskRequest } from '../../homelab/operations/run-task.ts'
import { storageAt } from '../../homelab/operations/safety-snapshot.ts'
import { guestPath, type Place } from '../../homelab/pve/guest.ts'
import { backupSight, readRights } from '../../homelab/pve/rights.ts'
import { isQuorumLoss } from '../../homelab/quorum.ts'
import type { HomelabPorts } from '../homelab/homelab-tool.ts'
import { textLike, Vmid } from '../homelab/inputs.ts'
import type { ToolContext, ToolOutput, Undo } from '../tool.ts'

export const vmidOf = Vmid.describe('Guest id.')
export const StorageName = textLike(/^[A-Za-z][\w.-]{0,99}$/, 'must be the exact name of a storage')
export const GuestName = textLike(
  /^(?=.{1,63}$)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/,
  'must be letters, digits and dashes, as in a host name',
)

/** Timeout of a task that copies disks, ms. */
export const longTimeoutMs = 4 * 3_600_000
export const taskTimeoutMs = 900_000

/** The output of a change of a guest: the end of the change's task. */
export const TaskOutput = z.object({
  vmid: z.int(),
  upid: z.string().optional(),
  exitStatus: z.string().describe('Proxmox’s words.'),
  ok: z.boolean(),
})

const words = { vm: 'VM', ct: 'CT' }
/** A guest in words: `VM 101 "haos"`. */
export const who = ({ vmid, type, name = '' }: Pick<Target, 'vmid' | 'type' | 'name'>): string =>
  `${type === undefined ? 'guest' : words[type]} ${vmid} ${quoted(name)}`

/** An effect on a guest: its words and its further facts. `deed`: as in `Effect`. */
type GuestEffect = Pick<Effect, 'atLeast' | 'executes' | 'becomes'> & {
  deed: string
  sentence(target: Target): string
}

/** One effect on a guest. @throws Mistake if there is no such guest */
export function guestEffect(
  kind: EffectKind,
  { vmid, deed, sentence, ...more }: GuestEffect & { vmid: number },
  world: World,
): Effect {
  const target = guestTarget({ vmid }, world)
  return { kind, on: 'guest', target, deed, sentence: sentence(target), ...more }
}

/**
 * The effect on power of a change that stops or restarts the guest. With this effect, every rule against a stop of the guest applies to the change
 * too. @throws Mistake
 */
export const cutsPower = (vmid: number, world: World, action: 'stop' | 'restart' = 'stop'): Effect => ({
  kind: 'power',
  on: 'guest',
  action,
  target: guestTarget({ vmid }, world),
})

/** The tags of a configuration. */
export const tagsIn = ({ tags = '' }: Readonly<Record<string, string>>): string[] =>
  tags.split(/[;, ]+/).filter((tag) => tag !== '')

/** The effect of making a new guest. @param becomes its marks besides its name and node @throws Mistake if its id is taken */
export function newEffect(
  { cluster }: World,
  { type, newId, node, name }: { type: Guest['type']; newId: number; node: string; name: string },
  { deed, sentence, becomes = {} }: { deed: string; sentence: string; becomes?: Becomes },
): Effect {
  const taken = cluster.guests.find((guest) => guest.vmid === newId)
  if (taken !== undefined) throw new Mistake(`newId: ${newId} is in use by ${who(taken)}; choose another.`)
  const target: Target = { kind: 'guest', id: `${type}/${newId}`, name, node, vmid: newId, type }
  return { kind: 'create', on: 'guest', target, deed, sentence, becomes: { name, node, ...becomes } }
}

/** Time after a guest's creation within which the creation can be undone, ms. Afterwards a guest that JARVIS made is treated like any other. */
const newForMs = 24 * 60 * 60_000

/** The undo of making a guest: it destroys the guest. @param now Unix ms */
export const unmade = (vmid: number, name: string, now: number): Undo => ({
  kind: 'call',
  toolName: 'destroy_guest',
  input: { vmid, name },
  sentence: `The new guest ${vmid} ${named(name)} is destroyed, if it is stopped and still the one that was made.`,
  until: now + newForMs,
  loses: 'What was written in it since.',
})

/** The guest as it was last seen. @throws Mistake if no guest with that VMID is known */
export function knownGuest({ cluster }: Pick<HomelabPorts, 'cluster'>, vmid: number): Guest {
  const state = cluster.state()
  const guest = state.guests.find((candidate) => candidate.vmid === vmid)
  if (guest === undefined)
    throw new Mistake(
      `vmid: there is no guest ${vmid}${asFarAsSeen('guests', state)}. get_cluster_resources lists them.`,
    )
  return guest
}

/** The place of the guest by which the call was judged; without such a target, of the guest that has the VMID now. @throws Mistake */
export function placeOf(ports: Pick<HomelabPorts, 'cluster'>, vmid: number, target?: Target): Place {
  const { node, type } = target?.vmid === vmid ? target : {}
  return node === undefined || type === undefined ? knownGuest(ports, vmid) : { vmid, node, type }
}

/** Returns a guest that can be changed now, with its configuration. @throws Mistake if it is locked; ApiError */
export async function freeGuest(
  ports: HomelabPorts,
  { vmid, ...more }: { vmid: number; template?: 'no'; type?: Guest['type']; instead?: string },
  { signal }: Pick<CallOptions, 'signal'>,
): Promise<{ guest: Guest; config: GuestConfig }> {
  const guest = knownGuest(ports, vmid)
  if (more.type !== undefined && guest.type !== more.type) {
    throw new Mistake(
      `vmid: ${vmid} is a ${guest.type === 'vm' ? 'virtual machine' : 'container'}. ${more.instead ?? ''}`,
    )
  }
  const config = await readConfig(ports.api, guest, { signal })
  if (config.lock !== undefined) {
    const lock = plainWord(config.lock)
    throw new Mistake(`vmid: ${vmid} is locked (${lock}). ${lockAdvice(guest, ports.cluster.state())}`)
  }
  if (more.template === 'no' && config.isTemplate) {
    throw new Mistake(`vmid: ${vmid} is a template, which stays as it is. clone_guest makes a guest of it.`)
  }
  return { guest, config }
}

/** The content that a storage must allow for a guest's disks, by type. */
export const contentOf = { vm: 'images', ct: 'rootdir' } as const

/**
 * Returns a storage that a node can put something on. @param needs bytes, if known @throws Mistake if the storage does not exist, cannot be reached,
 * does not allow the content or has no room
 */
export function storageFor(
  { cluster }: Pick<HomelabPorts, 'cluster'>,
  { name, node, content, needs }: { name: string; node: string; content: string; needs: number | undefined },
): Storage {
  const { storages, hidden } = cluster.state()
  const onNode = storages.filter((storage) => storage.node === undefined || storage.node === node)
  const found = storageAt(storages, name, node)
  if (found === undefined || !found.content.includes(content)) {
    const fit = onNode.filter((storage) => storage.content.includes(content)).map((storage) => storage.name)
    const problem =
      found === undefined
        ? `${named(node)} has no storage ${named(name)}${asFarAsSeen('storages', { hidden })}`
        : `${named(name)} does not hold ${content}`
    throw new Mistake(`storage: ${problem}. Those that do: ${fit.length === 0 ? 'none' : fit.join(', ')}.`)
  }
  if (found.isActive === false) throw new Mistake(`storage: ${named(name)} cannot be reached from ${named(node)} now.`)
  const free = freeOf(found)
  if (needs !== undefined && free !== undefined && free < needs) {
    throw new Mistake(`storage: ${named(name)} has ${gib(free)} GiB free, and ${gib(needs)} GiB are needed.`)
  }
  return found
}

/** The free space of a storage, bytes; undefined if it is not known. */
export const freeOf = ({ usedBytes, totalBytes }: Storage): number | undefined =>
  usedBytes === null || totalBytes === null ? undefined : totalBytes - usedBytes
export const gib = (bytes: number): string => (bytes / 1024 ** 3).toFixed(1).replace(/\.0$/, '')

/** @throws Mistake if a new guest cannot have this id or name; ApiError */
export async function mustBeNew(
  { api, cluster }: HomelabPorts,
  { newId, name }: { newId: number; name: string },
  { signal }: Pick<CallOptions, 'signal'>,
): Promise<void> {
  const { guests } = cluster.state()
  const namesake = guests.find((guest) => guest.name.toLowerCase() === name.toLowerCase())
  if (namesake !== undefined) throw new Mistake(`name: ${who(namesake)} has that name; choose another.`)
  try {
    await api.get(['cluster', 'nextid'], { vmid: String(newId) }, { signal })
    if (!guests.some(({ vmid }) => vmid === newId)) return
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'cluster_refused') throw error
  }
  const free = await api.get(['cluster', 'nextid'], {}, { signal })
  throw new Mistake(`newId: ${newId} is in use; ${oneLine(String(free), 12)} is free.`)
}

/** @throws Mistake if the volume is not on its storage, as far as the node shows the storage; ApiError */
export async function volumeThere(
  { api }: Pick<HomelabPorts, 'api'>,
  {
    node,
    volume,
    content,
    field,
  }: { node: string; volume: string; content: 'iso' | 'vztmpl' | 'backup'; field: string },
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const [storage = ''] = volume.split(':')
  const rows = await api.get(['nodes', node, 'storage', storage, 'content'], { content }, { signal })
  const list = (Array.isArray(rows) ? rows : []) as Record<string, unknown>[]
  const found = list.find(({ volid }) => volid === volume)
  if (found !== undefined) return found
  const isWhole = content !== 'backup' || backupSight(await readRights(api, signal), storage) === 'all'
  const others = list.slice(0, 5).map(({ volid }) => oneLine(String(volid), 100))
  throw new Mistake(
    `${field}: ${oneLine(volume, 120)} is not there${isWhole ? '' : ', as far as this token sees'}. ${others.length === 0 ? `${named(storage)} holds none.` : `There are: ${others.join(', ')}.`}`,
  )
}

/** A guest's configuration as it is stored in a snapshot. @throws ApiError */
export async function snapshotConfig(
  { api }: Pick<HomelabPorts, 'api'>,
  { guest, snapshot }: { guest: Place; snapshot: string },
  { signal }: Pick<CallOptions, 'signal'>,
): Promise<Record<string, string>> {
  return record(await api.get([...guestPath(guest), 'snapshot', snapshot, 'config'], {}, { signal }))
}

/** A value for a sentence: shortened, and quoted if it is more than one word of plain characters. Undefined becomes `not set`. */
export const shown = (value: string | undefined): string =>
  value === undefined ? 'not set' : /^[\w.:=+/-]{1,60}$/.test(value) ? value : quoted(value, 60)
export const shownKey = (config: GuestConfig, key: string): string => shown(configured(config, key))

/** A change of a guest. `did`: the sentence after a success; `after`: the advice after a success. */
type GuestChange = {
  request: TaskRequest
  vmid: number
  about: string
  did: string
  after?: string
  data?: Record<string, unknown>
  makes?: number
}

/** Sends a request that starts a task about a guest, and reports how the task ended. @throws JarvisError `cluster_unreachable`, `outcome_unknown` */
export async function changeGuest(
  { api, cluster }: Pick<HomelabPorts, 'api' | 'cluster'>,
  { request, ...told }: GuestChange,
  context: ToolContext,
): Promise<ToolOutput> {
  const outcome = await runTask(api, request, context)
  // A refusal of the arguments, or for a missing right, came before anything was done.
  const mayBeHalf = !outcome.ok && (outcome.refused === undefined || (outcome.refused.status ?? 0) >= 500)
  const { vmid, makes } = told
  const [, node = '', type] = request.path.map(String)
  const seen = cluster.state().guests.find((guest) => guest.vmid === vmid)
  const place: Place = seen ?? { vmid, node, type: type === 'lxc' ? 'ct' : 'vm' }
  const lock = lockAdvice(place, cluster.state())
  if (!mayBeHalf) return outputOf(outcome, { ...told, lock, left: outcome.ok ? '' : 'Nothing was done.' })
  const { signal } = context
  const exitStatus = outcome.upid === undefined ? outcome.exitStatus : await reasonOf(api, outcome, signal)
  const all = [place, ...(makes === undefined || makes === vmid ? [] : [{ ...place, vmid: makes }])]
  const left: string[] = []
  for (const one of all) left.push(await leftOf(api, one, signal))
  return outputOf({ ...outcome, exitStatus }, { ...told, lock, left: left.join(' ') })
}

export function outputOf(
  { exitStatus, ok, upid }: TaskOutcome,
  {
    vmid,
    about,
    did,
    after,
    data = {},
    left = '',
    lock = '',
  }: {
    vmid: number
    about: string
    did: string
    after?: string
    data?: Record<string, unknown>
    left?: string
    lock?: string
  },
): ToolOutput {
  const said = oneLine(exitStatus, 300)
  const all = { vmid, upid, exitStatus, ok, ...data }
  if (ok) {
    const warned = exitStatus === 'OK' ? '' : ` Its task ended ${said}: its log says more.`
    return { text: `${about}: ${did}.${warned}${after === undefined ? '' : ` ${after}`}`, summary: did, data: all }
  }
  const failed = upid !== undefined ? 'its task failed' : exitStatus === notSent ? 'not sent' : 'Proxmox refused'
  return {
    text: [
      `${about}: ${failed}: "${said}".`,
      left,
      advice(said, upid !== undefined, lock),
      isLocked.test(left) && !isLocked.test(said) ? lock : '',
    ]
      .filter((part) => part !== '')
      .join(' '),
    summary: `${upid === undefined ? (exitStatus === notSent ? 'Not sent' : 'Refused') : 'Task failed'}: ${oneLine(said, 120)}`,
    data: all,
    isError: true,
  }
}

const isLocked = /is locked \(/

/** Advice after a refusal, derived from Proxmox's words. @param lock as `lockAdvice` */
export function advice(said: string, hasTask: boolean, lock = ''): string {
  if (/checksum mismatch|detected modified configuration/.test(said)) {
    return 'Somebody changed it meanwhile: read it with get_guest_config, then decide anew.'
  }
  if (lock !== '' && isLocked.test(said)) return lock
  if (/is locked \(|can't lock file/.test(said))
    return 'Another task works on it: wait until get_recent_tasks shows it ended.'
  if (/Permission check failed/.test(said)) {
    return 'The API token lacks that right: someone must add it to the token’s role in Proxmox. Trying again changes nothing.'
  }
  if (isQuorumLoss(said))
    return 'The cluster has no quorum, so Proxmox cannot write its configuration: wake the missing nodes first, and do not try again before. get_cluster_status shows who is missing.'
  return hasTask ? 'Look at what it left behind before doing more; the task’s log on the node says why.' : ''
}
