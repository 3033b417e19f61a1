import { ApiError } from 'homelab-ports/failure'
import type { NetworkTimers, PveApi, TimerEnd } from 'homelab-ports/ports'
import { hashOf } from 'node-kit/canonical'
import { type ClusterState, JarvisError, type Node } from 'protocol'
import { named } from 'redaction/visible'
import { z } from 'zod'
import { Mistake } from '../../gate/effect.ts'
import { nodeTarget } from '../../gate/targets.ts'
import { oneLine, plainName } from '../../homelab/format.ts'
import { type NodeInterface, type NodeNetwork, readNetwork } from '../../homelab/operations/node-network.ts'
import { runTask } from '../../homelab/operations/run-task.ts'
import { advice, shown } from '../guests/guest-tool.ts'
import { homelabTool, rights } from '../homelab/homelab-tool.ts'
import { NodeName } from '../homelab/inputs.ts'
import type { ToolContext, Undo } from '../tool.ts'
import { keptKeys, knownTypes, networkKeys } from './network-keys.ts'

/** Timeout, ms. A reload takes time on the node, and may cut off its own answer. */
const timeoutMs = 180_000
/** Time within which a node's timer has restored the network after it fired, ms. */
const goneOffWithinMs = 30_000
const Value = z.union([z.string(), z.number()]).transform(String)
const input = z.strictObject({
  node: NodeName.describe('Exact name.'),
  iface: z.string().max(20).describe('An interface that is there.'),
  set: z.record(z.string(), Value).optional().describe('Values by key.'),
  remove: z.array(z.string()).optional().describe('Keys.'),
  expect: z.record(z.string(), z.string().nullable()).optional().describe('Only while these are so. null: not set.'),
})
type Asked = z.output<typeof input>

const changesOf = ({ set = {}, remove = [] }: Asked): [string, string | undefined][] => [
  ...Object.entries(set),
  ...remove.map((key): [string, undefined] => [key, undefined]),
]

export const setNodeNetwork = homelabTool({
  name: 'set_node_network',
  title: 'Change a node’s network',
  description:
    'Changes keys of one network interface of a node (cidr, gateway, mtu, bridge_ports …) and reloads its network. Read get_node_network first.',
  tier: 'red',
  touches: [{ kind: 'config', on: 'node' }],
  effects(asked, world) {
    const target = nodeTarget(asked.node, world)
    mustBeSettable(asked)
    const deed = `change the network of ${asked.node}`
    return [{ kind: 'config', on: 'node', target, deed, sentence: sentenceOf(asked) }]
  },
  async prepare(asked, { signal }, { api, cluster, networkTimers }) {
    const network = await readNetwork(api, asked.node, signal)
    const { values, isBack } = mustFit(asked, network)
    const unread = isBack ? [] : await mustBeFree(asked, cluster.state(), { api, signal })
    const keys = changesOf(asked)
    const isTakenBack = asked.expect !== undefined
    const obstacle = isTakenBack ? undefined : await obstacleOn(asked.node, networkTimers, signal)
    return {
      now: keys.map(([key]) => `${key}: ${shown(values[key])}`).join('; '),
      then: keys.map(([key, value]) => `${key}: ${value === undefined ? 'removed' : shown(value)}`).join('; '),
      affects: `${isTakenBack ? 'The node’s network is reloaded.' : risk(plainName(asked.node), obstacle)}${unread.length === 0 ? '' : ` Not known: whether ${unread.join(', ')} has that address.`}`,
      undo: undoOf(asked, values),
      basis: { network: hashOf({ staged: network.staged ?? null, interfaces: network.interfaces.map(configOf) }) },
      ...(obstacle === undefined && !isTakenBack ? { timerOn: asked.node } : { mayGoBack: false }),
    }
  },
  ending: ({ node, iface }) => ({
    look: `Look with get_node_network whether ${iface} of ${node} was changed. If it was approved to go back, ${node} puts it back by itself.`,
  }),
  needs: [rights.bridges, rights.services],
  timeoutMs,
  input,
  example: { node: 'pve', iface: 'vmbr0', set: { mtu: 9000 } },
  output: z.object({
    node: z.string(),
    iface: z.string(),
    ok: z.boolean(),
    isTimerArmed: z.boolean().describe('The node puts it back by itself unless it is kept.'),
    timer: z.enum(['disarmed', 'gone_off', 'missing']).optional().describe('What became of the timer of the change.'),
    refused: z.string().optional().describe('Proxmox’s words.'),
  }),
  async run(asked, context, { api, networkTimers }) {
    const { node, iface } = asked
    const { signal, goesBack, timerOf } = context
    const timer = timerOf === undefined ? undefined : await taken(networkTimers, { node, change: timerOf }, context)
    const before = timer === 'gone_off' ? await onceBack(asked, api, signal) : await readNetwork(api, node, signal)
    const { values, type, isBack } = mustFit(asked, before)
    const who = `${oneLine(iface, 40)} of ${plainName(node)}`
    const facts = { node, iface, isTimerArmed: false, timer }
    if (isBack) {
      const by = timer === 'gone_off' ? `${plainName(node)} has put it back by its own timer` : 'It is as it was before'
      const text = `${who}: ${by}, so nothing was changed.`
      return {
        text,
        summary: timer === 'gone_off' ? 'put back by the node itself' : 'was so already',
        data: { ...facts, ok: true },
      }
    }
    const path = ['nodes', node, 'network'] as const
    const refused = (said: string, why: string) => ({
      text: `${who}: ${why} Nothing was changed.`,
      summary: `Not changed: ${oneLine(said, 120)}`,
      data: { ...facts, ok: false, refused: said },
      isError: true,
    })
    try {
      await api.change({ method: 'PUT', path: [...path, iface], form: formOf(asked, type, values) }, { signal })
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'cluster_refused') throw error
      const said = oneLine(error.words, 300)
      return refused(said, `Proxmox refused: "${said}". ${advice(said, false)}`)
    }
    /** Removes the staged changes; only this call's change is staged. @returns a sentence if that failed, otherwise an empty text */
    const unstage = async () => {
      try {
        await api.change({ method: 'DELETE', path, form: {} }, { signal })
        return ''
      } catch {
        return ` The change is still staged on ${plainName(node)}: revert it in Proxmox.`
      }
    }
    const { interfaces } = await readNetwork(api, node, signal)
    const others = (all: readonly NodeInterface[]) => hashOf(all.filter(({ name }) => name !== iface).map(configOf))
    if (others(interfaces) !== others(before.interfaces)) {
      const why = `Somebody else has staged a change of ${plainName(node)}’s network meanwhile, and a reload would bring both in force: look at them in Proxmox.`
      return refused('somebody else has staged a change', why)
    }
    if (goesBack !== undefined) {
      try {
        if (networkTimers === undefined) throw new Error('there is no SSH')
        await networkTimers.arm(node, { id: goesBack.id, afterMs: goesBack.afterMs }, { signal })
      } catch (error) {
        const why = oneLine(error instanceof Error ? error.message : String(error), 300)
        return refused('no timer', `The timer that takes it back could not be armed: ${why}.${await unstage()}`)
      }
    }
    const outcome = await reload(api, { node, unstage }, context)
    if (outcome.refused !== undefined) {
      const left = await unstage()
      if (goesBack !== undefined) await networkTimers?.disarm(node, goesBack.id, { signal }).catch(() => undefined)
      return refused(outcome.exitStatus, `Proxmox refused the reload: "${oneLine(outcome.exitStatus, 300)}".${left}`)
    }
    if (!outcome.ok) {
      // Proxmox puts the new file in force before it reloads anything, so a part of the change may be in force.
      const said = oneLine(outcome.exitStatus, 300)
      throw new JarvisError(
        'outcome_unknown',
        `The reload of ${node} ended with "${said}": a part of the change may be in force. ${await leftOf(asked, api, signal)}`,
      )
    }
    const armed = goesBack === undefined ? '' : ` ${plainName(node)} puts it back by itself unless it is kept.`
    const keys = changesOf(asked).map(([key]) => key)
    return {
      text: `${who}: ${keys.join(', ')} changed, and the network was reloaded.${armed}`,
      summary: `${keys.join(', ')} changed`,
      data: { ...facts, ok: true, isTimerArmed: goesBack !== undefined },
    }
  },
})

/** Describes the interface after a failed reload, as its node reports it. @throws the signal's reason */
async function leftOf(asked: Asked, api: PveApi, signal: AbortSignal): Promise<string> {
  const { node, iface } = asked
  try {
    const { interfaces, staged, hidden } = await readNetwork(api, node, signal)
    const found = interfaces.find(({ name }) => name === iface)
    if (found === undefined) return `Read afterwards: ${plainName(node)} ${lacks(iface, hidden)}.`
    const keys = changesOf(asked).map(([key]) => `${key} ${shown(found.values[key])}`)
    const active = found.isActive === null ? 'whether it is up is not said' : found.isActive ? 'up' : 'down'
    const waits = staged === undefined ? 'nothing is staged' : 'the change is still staged'
    return `Read afterwards of ${named(iface)}: configured with ${keys.join(', ')}; ${active}; ${waits}.`
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return `What it left of ${named(iface)} could not be read: ${oneLine(error instanceof Error ? error.message : String(error), 160)}`
  }
}

/** Reloads the network of a node. @throws JarvisError as `runTask` does. If the request did not arrive, the staged change is removed first. */
async function reload(
  api: PveApi,
  { node, unstage }: { node: string; unstage(): Promise<string> },
  context: ToolContext,
) {
  try {
    return await runTask(
      api,
      { method: 'PUT', path: ['nodes', node, 'network'], what: `the reload of ${node}` },
      context,
    )
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'cluster_unreachable') throw error
    throw new JarvisError('cluster_unreachable', `${error.message} Nothing was changed.${await unstage()}`, {
      cause: error,
    })
  }
}

const configOf = ({ name, type, values }: NodeInterface) => ({ name, type, values })

const obstacleOn = (node: string, timers: NetworkTimers | undefined, signal: AbortSignal) =>
  timers === undefined ? Promise.resolve('SSH is not set up.') : timers.obstacle(node, { signal })

const risk = (node: string, obstacle: string | undefined) =>
  obstacle === undefined
    ? `If it cuts ${node} off, its guests and JARVIS lose it. Approved to go back, ${node} itself puts its network back, also where nobody reaches it; a restart of ${node} ends that timer.`
    : `No timer can be armed on ${node}: ${obstacle} If the change cuts ${node} off, nothing takes it back: somebody must do that at its console.`

/** @throws Mistake for a key or a value that JARVIS sets on no interface */
function mustBeSettable(asked: Asked) {
  const changes = changesOf(asked)
  if (changes.length === 0) throw new Mistake('set: neither set nor remove names a key.')
  const names = changes.map(([key]) => key)
  const twice = names.find((key, index) => names.indexOf(key) !== index)
  if (twice !== undefined) throw new Mistake(`remove: ${oneLine(twice, 40)} is set and removed at once.`)
  for (const [key, value] of changes) {
    const known = Object.hasOwn(networkKeys, key) ? networkKeys[key] : undefined
    if (known === undefined)
      throw new Mistake(`set: JARVIS does not change ${named(key)}; it changes ${Object.keys(networkKeys).join(', ')}.`)
    if (value !== undefined && !known.fits(value)) throw new Mistake(`set: ${key} must be ${known.must}.`)
  }
}

function sentenceOf(asked: Asked): string {
  const { iface, node, set = {}, remove = [] } = asked
  const gets = Object.entries(set).map(([key, value]) => `${key} ${shown(value)}`)
  const loses = remove.map((key) => named(key))
  const parts = [
    ...(gets.length === 0 ? [] : [`gets ${gets.join(', ')}`]),
    ...(loses.length === 0 ? [] : [`loses ${loses.join(', ')}`]),
  ]
  return `The interface ${named(iface)} of ${named(node)} ${parts.join(' and ')}.`
}

/** The words for an interface that is not listed. It may be a bridge that the token may not see. */
const lacks = (iface: string, hidden: string | undefined) =>
  hidden === undefined
    ? `has no interface ${named(iface)}`
    : `shows no interface ${named(iface)}, and whether there is one is not known: ${hidden}`

const isSame = (wanted: string | undefined, actual: string | undefined) => (wanted ?? '') === (actual ?? '')

/** `isBack`: the call takes a change back, and the old values are in place already. @throws Mistake if the change does not fit the present network */
function mustFit(asked: Asked, { interfaces, staged, hidden }: NodeNetwork): NodeInterface & { isBack: boolean } {
  const { iface, node, expect } = asked
  const found = interfaces.find(({ name }) => name === iface)
  if (found === undefined) {
    const names = interfaces.map(({ name }) => oneLine(name, 40)).join(', ')
    throw new Mistake(`iface: ${node} ${lacks(iface, hidden)}. There are: ${names === '' ? 'none' : names}.`)
  }
  if (!knownTypes.has(found.type))
    throw new Mistake(`iface: ${named(iface)} is of the type ${named(found.type)}, which JARVIS does not change.`)
  const changes = changesOf(asked)
  const isSo = changes.every(([key, value]) => isSame(value, found.values[key]))
  if (isSo && expect !== undefined) return { ...found, isBack: true }
  const absent = changes.find(([key, value]) => value === undefined && found.values[key] === undefined)
  if (absent !== undefined) throw new Mistake(`remove: ${absent[0]} is not set.`)
  if (isSo) throw new Mistake('set: all of it is so already: nothing needs to be done.')
  if (staged !== undefined)
    throw new Mistake(
      `node: changes of ${node}’s network are staged already, and a reload would bring them in force too. Apply or revert them in Proxmox first.`,
    )
  for (const [key, wanted] of Object.entries(expect ?? {})) {
    const actual = found.values[key]
    if (!isSame(wanted ?? undefined, actual))
      throw new Mistake(
        `expect: ${named(key)} is ${shown(actual)} now, and was left as ${shown(wanted ?? undefined)}: somebody changed it since. Nothing was changed.`,
      )
  }
  for (const [key, value] of changes) {
    const other = interfaces.find(({ name, values }) => name !== iface && values[key] !== undefined)
    if (value !== undefined && key.startsWith('gateway') && other !== undefined)
      throw new Mistake(`set: ${oneLine(other.name, 40)} has the default ${key} already.`)
  }
  return { ...found, isBack: false }
}

/**
 * @returns the nodes that could not be asked, or not for all their interfaces. @throws Mistake if another node already has an address that the call
 * sets
 */
async function mustBeFree(
  { node, set = {} }: Asked,
  { nodes }: ClusterState,
  { api, signal }: { api: PveApi; signal: AbortSignal },
) {
  const wanted = [set.cidr, set.cidr6].flatMap((cidr) => cidr?.split('/')[0] ?? [])
  if (wanted.length === 0) return []
  const unread: string[] = []
  const ask = async ({ name }: Pick<Node, 'name'>) => {
    const { interfaces, hidden } = await readNetwork(api, name, signal).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      return { interfaces: [], hidden: error.message }
    })
    if (hidden !== undefined) unread.push(plainName(name))
    for (const { name: iface, values } of interfaces) {
      const same = wanted.find((one) => [values.cidr, values.cidr6].some((cidr) => cidr?.split('/')[0] === one))
      if (same !== undefined)
        throw new Mistake(`set: ${same} is the address of ${oneLine(iface, 40)} on ${named(name)}.`)
    }
  }
  await Promise.all(nodes.filter(({ name }) => name !== node).map(ask))
  return unread.sort()
}

/** All keys that the interface keeps or gets, so that nothing is lost even if Proxmox replaces the configuration instead of merging it. */
function formOf(asked: Asked, type: string, values: Record<string, string>) {
  const { set = {}, remove = [] } = asked
  const kept = Object.entries(values).filter(([key]) => keptKeys.has(key) && !remove.includes(key))
  return { type, ...Object.fromEntries(kept), ...set, ...(remove.length > 0 && { delete: remove.join(',') }) }
}

function undoOf(asked: Asked, values: Record<string, string>): Undo {
  const changes = changesOf(asked)
  const odd = changes.find(([key]) => values[key] !== undefined && networkKeys[key]?.fits(values[key]) === false)
  if (odd !== undefined) return { kind: 'none', because: `The old value of ${odd[0]} is one that JARVIS does not set.` }
  const back = changes.flatMap(([key]) => (values[key] === undefined ? [] : [[key, values[key]] as const]))
  const made = changes.flatMap(([key]) => (values[key] === undefined ? [key] : []))
  const words = [
    ...back.map(([key, value]) => `${key} goes back to ${shown(value)}`),
    ...made.map((key) => `${key} is removed again`),
  ]
  return {
    kind: 'call',
    toolName: 'set_node_network',
    input: {
      node: asked.node,
      iface: asked.iface,
      ...(back.length > 0 && { set: Object.fromEntries(back) }),
      ...(made.length > 0 && { remove: made }),
      expect: Object.fromEntries(changes.map(([key, value]) => [key, value ?? null])),
    },
    sentence: `${words.join(', ')}.`.replace(/^./, (first) => first.toUpperCase()),
  }
}

/**
 * Removes the timer that a node has for a change, because the change is being taken back. @returns undefined if the node has no timer, or cannot be
 * asked over SSH
 */
async function taken(
  timers: NetworkTimers | undefined,
  { node, change }: { node: string; change: string },
  { signal, onProgress }: Pick<ToolContext, 'signal' | 'onProgress'>,
): Promise<TimerEnd | undefined> {
  try {
    return await timers?.disarm(node, change, { signal })
  } catch (error) {
    if (signal.aborted) throw error
    // The node's timer does nothing if the configuration is no longer the one that the change made.
    onProgress(`The timer on ${node} could not be asked: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}

/** Returns the network after the node's fired timer has restored it, or as it is after half a minute. */
async function onceBack(asked: Asked, api: PveApi, signal: AbortSignal): Promise<NodeNetwork> {
  for (const from = api.now(); ; ) {
    const network = await readNetwork(api, asked.node, signal)
    const values = network.interfaces.find(({ name }) => name === asked.iface)?.values ?? {}
    const isBack = changesOf(asked).every(([key, value]) => isSame(value, values[key]))
    if (isBack || api.now() - from >= goneOffWithinMs) return network
    await api.wait(1_000, signal)
  }
}
