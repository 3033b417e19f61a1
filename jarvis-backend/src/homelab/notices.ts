import { firstOf, percent, spanOf } from 'node-kit/words'
import {
  type Activity,
  type ClusterState,
  type Guest,
  type Limits,
  type Storage,
  type Task,
  usualLimits,
} from 'protocol'
import { backupAgeTone, clusterTime, isUnlooked, shareOf } from 'protocol/facts'
import { oneLine, plainName } from './format.ts'
import { createStops, taskMayShowMs } from './stops.ts'

export type Notice = Omit<Activity, 'id'>
/** An activity line. `task`: set if the line is about a failed task whose reason is only in the task's log. */
export type ToldNotice = Notice & { task?: Task }

/** A full storage must fall below its limit by this ratio before it is reported again. */
const emptiedBy = 0.02
/** When a node returns, its task list has old tasks: tasks that ended more than this before the last state get no line, ms. */
const oldTaskMs = 90_000
const mostNamed = 10
const mostTasksKept = 5_000
const mostReason = 300

/**
 * Turns changes of the cluster into activity lines, each reported once: changes of state, finished tasks, and problems such as full storages. The
 * first state gives lines only for problems that exist already.
 */
export class Notices {
  readonly #limits: () => Limits
  #before: ClusterState | undefined
  readonly #toldTasks = new Set<string>()
  readonly #full = new Set<string>()
  readonly #stale = new Set<number>()
  readonly #stopsOf = createStops()
  /** Unexpected stops that were reported: vmid to the stop's time (`since`), Unix ms. */
  readonly #toldStops = new Map<number, number>()

  constructor(limits: () => Limits = () => usualLimits) {
    this.#limits = limits
  }

  /** Returns the lines for a new state. Call it once for each state, in their order. */
  of(state: ClusterState): ToldNotice[] {
    const earlier = this.#before
    const isAway = state.unreachableSince !== undefined
    const wasAway = earlier?.unreachableSince !== undefined
    if (isAway !== wasAway && (earlier !== undefined || isAway)) {
      this.#before = { ...(earlier ?? state), unreachableSince: state.unreachableSince } as ClusterState
      if (isAway) {
        const text = `The cluster cannot be reached: ${state.missing[0] ?? ''}`.slice(0, 400)
        return [{ at: state.unreachableSince ?? state.at, kind: 'cluster', level: 'error', text }]
      }
    }
    // The cluster cannot be read, or has not been read yet.
    if (isAway || state.nodes.length === 0) return []
    const back: Notice[] = wasAway
      ? [{ at: state.at, kind: 'cluster', level: 'info', text: 'The cluster can be reached again' }]
      : []
    const isFirst = earlier === undefined || earlier.nodes.length === 0
    const notices = [
      ...back,
      ...(isFirst ? standing(state) : changesOf(earlier, state)),
      ...this.#tasks(state, isFirst),
      ...this.#surprises(state),
      ...this.#fillings(state),
      ...this.#staleBackups(state),
    ]
    this.#before = state
    return notices
  }

  #tasks({ at, tasks }: ClusterState, isFirst: boolean): ToldNotice[] {
    const before = this.#before
    const notices: ToldNotice[] = []
    for (const task of [...tasks].reverse()) {
      const { upid, node, vmid, status, exitStatus, endedAt } = task
      if (status === 'running' || this.#toldTasks.has(upid)) continue
      this.#toldTasks.add(upid)
      // The list of a returned node contains old tasks.
      if (isFirst || (before !== undefined && endedAt !== undefined && endedAt < before.at - oldTaskMs)) continue
      notices.push({
        at,
        kind: 'task',
        level: levels[status],
        node,
        text: taskWords(task),
        vmid,
        ...(exitStatus === 'job errors' && { task }),
      })
    }
    for (const upid of this.#toldTasks) {
      if (this.#toldTasks.size <= mostTasksKept) break
      this.#toldTasks.delete(upid)
    }
    return notices
  }

  /** Reports unexpected stops after a delay, in which a task or HA may explain the stop, or the guest may run again. */
  #surprises(state: ClusterState): Notice[] {
    const { at } = state
    const byVmid = new Map(state.guests.map((guest) => [guest.vmid, guest]))
    const stops = this.#stopsOf(state)
    const told = this.#toldStops
    for (const vmid of told.keys()) if (!stops.has(vmid)) told.delete(vmid)
    return [...stops].flatMap(([vmid, { since, is }]): Notice[] => {
      const guest = byVmid.get(vmid)
      if (guest === undefined || is !== 'bare' || at - since < taskMayShowMs || told.get(vmid) === since) return []
      told.set(vmid, since)
      const text = `${nameOf(guest)} stopped unexpectedly: no task did it`
      return [{ at, kind: 'guest', level: 'error', vmid, node: guest.node, text }]
    })
  }

  #fillings({ at, storages }: ClusterState): Notice[] {
    const notices: Notice[] = []
    const [fullRatio] = this.#limits().storageRatio
    for (const storage of storages) {
      const ratio = shareOf(storage.usedBytes, storage.totalBytes)
      if (ratio === undefined || isUnlooked(storage, this.#limits())) continue
      if (storage.isActive && ratio < fullRatio - emptiedBy) this.#full.delete(idOf(storage))
      if (!storage.isActive || ratio < fullRatio || this.#full.has(idOf(storage))) continue
      this.#full.add(idOf(storage))
      const text = `Storage ${placeOf(storage)} is ${percent(ratio)} full`
      notices.push({ at, kind: 'storage', level: 'warning', text, ...nodeOf(storage) })
    }
    return notices
  }

  #staleBackups({ at, guests, clockOffMs }: ClusterState): Notice[] {
    const now = clusterTime(at, { clockOffMs })
    const limits = this.#limits()
    const late: Guest[] = []
    for (const guest of guests) {
      if (backupAgeTone(guest.backupAt, now, limits) === undefined) this.#stale.delete(guest.vmid)
      else if (!this.#stale.has(guest.vmid)) {
        this.#stale.add(guest.vmid)
        late.push(guest)
      }
    }
    const [only] = late
    if (only === undefined) return []
    const names = firstOf(late.map(nameOf), mostNamed)
    const text = `No backup for more than ${spanOf(limits.backupHours[0] * 3_600)}: ${names}`
    const about = late.length === 1 ? { vmid: only.vmid, node: only.node } : {}
    return [{ at, kind: 'backup', level: 'warning', text, ...about }]
  }
}

/** Lines about the differences between two states. */
const changesOf = (earlier: ClusterState, state: ClusterState): Notice[] => [
  ...nodeChanges(earlier, state),
  ...quorumChange(earlier, state),
  ...guestChanges(earlier, state),
  ...storageChanges(earlier, state),
]

function nodeChanges(earlier: ClusterState, { at, nodes }: ClusterState): Notice[] {
  const before = new Map(earlier.nodes.map(({ name, status }) => [name, status]))
  return nodes.flatMap(({ name, status }): Notice[] => {
    const was = before.get(name)
    if (was === undefined || was === status) return []
    const level = status === 'online' ? 'info' : 'error'
    return [{ at, kind: 'node', level, node: name, text: `${plainName(name)} is ${status}` }]
  })
}

function quorumChange({ isQuorate: had }: ClusterState, { at, isQuorate }: ClusterState): Notice[] {
  if (had === isQuorate) return []
  if (isQuorate === null)
    return [{ at, kind: 'cluster', level: 'warning', text: 'Whether the cluster has a quorum is not known now' }]
  if (!isQuorate)
    return [{ at, kind: 'cluster', level: 'error', text: 'The cluster has lost its quorum: no guest can start' }]
  const text = had === null ? 'The cluster has a quorum' : 'The cluster has its quorum again'
  return [{ at, kind: 'cluster', level: 'info', text }]
}

function guestChanges(earlier: ClusterState, { at, guests, nodes }: ClusterState): Notice[] {
  const before = new Map(earlier.guests.map((guest) => [guest.vmid, guest]))
  return guests.flatMap((guest): Notice[] => {
    const { vmid, node, status } = guest
    const was = before.get(vmid)?.status
    if (was === undefined || was === status) return []
    // The lost node has a line of its own, so its guests get none.
    if (status === 'unknown' && nodes.some(({ name, status: its }) => name === node && its !== 'online')) return []
    const level = status === 'unknown' ? 'warning' : 'info'
    return [{ at, kind: 'guest', level, vmid, node, text: `${nameOf(guest)} is ${status}, was ${was}` }]
  })
}

function storageChanges(earlier: ClusterState, { at, storages, nodes }: ClusterState): Notice[] {
  const before = new Map(earlier.storages.map((storage) => [idOf(storage), storage.isActive]))
  const online = new Set(nodes.filter(({ status }) => status === 'online').map(({ name }) => name))
  return storages.flatMap((storage): Notice[] => {
    const was = before.get(idOf(storage))
    const isWithItsNode = storage.node !== undefined && !online.has(storage.node)
    if (was === undefined || was === null || was === storage.isActive || storage.isActive === null) return []
    if (isWithItsNode) return []
    const text = `Storage ${placeOf(storage)} is ${storage.isActive ? 'reachable again' : 'not reachable'}`
    return [{ at, kind: 'storage', level: storage.isActive ? 'info' : 'error', text, ...nodeOf(storage) }]
  })
}

/** Describes the end of a task in one line. */
export const taskWords = ({ type, node, vmid, status, exitStatus, reason }: Task): string =>
  `${plainName(type)}${vmid === undefined ? '' : ` ${vmid}`} on ${plainName(node)}: ${reason === undefined ? plainName(exitStatus ?? status) : oneLine(reason, mostReason)}`

const levels = { ok: 'info', warnings: 'warning', failed: 'error' } as const satisfies Record<
  Exclude<Task['status'], 'running'>,
  Notice['level']
>

/** Lines for the problems in the first state. */
function standing({ at, nodes, isQuorate }: ClusterState): Notice[] {
  const down = nodes.filter(({ status }) => status !== 'online')
  return [
    ...down.map(
      ({ name, status }): Notice => ({
        at,
        kind: 'node',
        level: 'error',
        node: name,
        text: `${plainName(name)} is ${status}`,
      }),
    ),
    ...(isQuorate !== false
      ? []
      : [{ at, kind: 'cluster', level: 'error', text: 'The cluster has no quorum: no guest can start' } as const]),
  ]
}

const nameOf = ({ vmid, name }: Guest) => `${vmid} ${plainName(name)}`
const idOf = ({ name, node }: Storage) => `${node ?? ''}/${name}`
const placeOf = ({ name, node }: Storage) =>
  node === undefined ? plainName(name) : `${plainName(name)} on ${plainName(node)}`
const nodeOf = ({ node }: Storage) => (node === undefined ? {} : { node })
