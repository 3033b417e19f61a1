import type { Cluster } from 'homelab-ports/ports'
import { asFarAsSeen, type ClusterState } from 'protocol'
import { isUnread } from 'protocol/facts'
import { oneLine, plainName } from '../../homelab/format.ts'

/** The states that a call can wait for: of a guest, a node, a task or a storage. */
export const states = ['running', 'stopped', 'paused', 'online', 'offline', 'ended', 'reachable'] as const
export type WantedState = (typeof states)[number]

/**
 * A target as it is now. `state` is `unknown` if it cannot be read. `isOver`: the state is final. `missing`: the reason why there is no such target.
 */
export type Seen = { name: string; state: string; isReached: boolean; isOver?: true; isTask: boolean; missing?: string }

/** @throws the signal's reason */
export async function seenOf(
  cluster: Pick<Cluster, 'state' | 'tasks'>,
  { target, wanted }: { target: string; wanted: WantedState },
  signal: AbortSignal,
): Promise<Seen> {
  const now = cluster.state()
  switch (wanted) {
    case 'online':
    case 'offline':
      return nodeOf(now, target, wanted)
    case 'reachable':
      return storageOf(now, target)
    case 'ended':
      return taskOf(cluster, target, signal)
    default:
      return guestOf(now, target, wanted)
  }
}

const unknown = (name: string): Seen => ({ name, state: 'unknown', isReached: false, isTask: false })
const none = (name: string, missing: string): Seen => ({ ...unknown(name), missing })

function guestOf(state: ClusterState, target: string, wanted: WantedState): Seen {
  // Accepts the names that JARVIS uses for a guest, and those of Proxmox.
  const [, kind, number] = /^(vm|qemu|ct|lxc)\/(\d+)$/.exec(target) ?? []
  const isContainer = kind === 'ct' || kind === 'lxc'
  const found = state.guests.filter(({ vmid, name, type }) =>
    kind === undefined
      ? `${vmid}` === target || name === target
      : `${vmid}` === number && (type === 'ct') === isContainer,
  )
  const [guest, other] = found
  if (guest === undefined)
    return isUnread(state, 'guests')
      ? unknown(oneLine(target, 60))
      : none(
          target,
          `There is no guest ${oneLine(target, 60)}${asFarAsSeen('guests', state)}. Name it by its number or exact name.`,
        )
  if (other !== undefined)
    return none(target, `Several guests are named ${oneLine(target, 60)}. Name one by its number.`)
  const name = `${guest.vmid} ${plainName(guest.name)}`
  return { name, state: guest.status, isReached: guest.status === wanted, isTask: false }
}

function nodeOf(state: ClusterState, target: string, wanted: WantedState): Seen {
  const node = state.nodes.find(({ name }) => name === target || `node/${name}` === target)
  if (node !== undefined)
    return { name: plainName(node.name), state: node.status, isReached: node.status === wanted, isTask: false }
  if (isUnread(state, 'nodes')) return unknown(oneLine(target, 60))
  return none(
    target,
    `There is no node ${oneLine(target, 60)}. There are: ${state.nodes.map(({ name }) => plainName(name)).join(', ')}.`,
  )
}

/** A storage of several nodes is reachable if each of the nodes reaches it. `NODE/NAME` names the storage of one node. */
function storageOf(state: ClusterState, target: string): Seen {
  const found = state.storages.filter(({ name, node }) =>
    [name, `storage/${name}`, `${node}/${name}`, `storage/${node}/${name}`].includes(target),
  )
  const name = oneLine(target, 60)
  if (found.length === 0)
    return isUnread(state, 'storages')
      ? unknown(name)
      : none(name, `There is no storage ${name}. get_storage lists them.`)
  if (found.some(({ isActive }) => isActive === false))
    return { name, state: 'not reachable', isReached: false, isTask: false }
  if (found.some(({ isActive }) => isActive === null)) return unknown(name)
  return { name, state: 'reachable', isReached: true, isTask: false }
}

async function taskOf(cluster: Pick<Cluster, 'tasks'>, target: string, signal: AbortSignal): Promise<Seen> {
  const [, node] = /^UPID:([^:]+):/.exec(target) ?? []
  const name = 'the task'
  if (node === undefined) return none(name, 'A task is named by its UPID, which get_recent_tasks and a result tell.')
  const { items, isUnread: isBlind, missing } = await cluster.tasks({ limit: 200 }, { signal })
  const task = items.find(({ upid }) => upid === target)
  if (task === undefined)
    return isBlind || missing.length > 0
      ? { ...unknown(name), isTask: true }
      : { ...none(name, `There is no such task among the newest 200: ${oneLine(target, 120)}.`), isTask: true }
  const words = `${plainName(task.type)}${task.vmid === undefined ? '' : ` ${task.vmid}`}`
  if (task.status === 'running') return { name: words, state: 'running', isReached: false, isTask: true }
  const end =
    task.status === 'ok' ? 'ended, OK' : `ended, ${task.status}: ${oneLine(task.exitStatus ?? 'no reason given', 200)}`
  return { name: words, state: end, isReached: true, isTask: true }
}
