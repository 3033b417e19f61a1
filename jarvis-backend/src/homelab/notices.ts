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
import { firstOf, percent, spanOf } from '../lib/words.ts'
import { oneLine, plainName } from './format.ts'
import { createStops, taskMayShowMs } from './stops.ts'

export type Notice = Omit<Activity, 'id'>
/** `task`: what the line tells of, where only its log says why it failed. */
export type ToldNotice = Notice & { task?: Task }

/** A full storage must fall below its limit by this ratio before it is reported again. */
const emptiedBy = 0.02
/** The list of a returned node has old tasks, ms. */
const oldTaskMs = 90_000
const mostNamed = 10
const mostTasksKept = 5_000
const mostReason = 300

/**
 * Turns changes of the cluster into activity lines: states, finished tasks and alerts, each once. @returns a function that takes each new
 * state; the first state only gives existing problems
 */
export function createNotices(limits: () => Limits = () => usualLimits): (state: ClusterState) => ToldNotice[] {
  let before: ClusterState | undefined
  const toldTasks = new Set<string>()
  const full = new Set<string>()
  const stale = new Set<number>()
  const stopsOf = createStops()
  /** Guests whose stop was told, or explained, by vmid. */
  const toldStops = new Map<number, number>()

  function statesOf(earlier: ClusterState, { at, nodes, guests, storages, isQuorate }: ClusterState): Notice[] {
    const notices: Notice[] = []
    const nodeStatus = new Map(earlier.nodes.map(({ name, status }) => [name, status]))
    for (const { name, status } of nodes) {
      const was = nodeStatus.get(name)
      if (was === undefined || was === status) continue
      const level = status === 'online' ? 'info' : 'error'
      notices.push({ at, kind: 'node', level, node: name, text: `${plainName(name)} is ${status}` })
    }
    if (earlier.isQuorate !== isQuorate) {
      const text =
        isQuorate === null
          ? 'Whether the cluster has a quorum is not known now'
          : isQuorate
            ? earlier.isQuorate === null
              ? 'The cluster has a quorum'
              : 'The cluster has its quorum again'
            : 'The cluster has lost its quorum: no guest can start'
      const level = isQuorate === null ? 'warning' : isQuorate ? 'info' : 'error'
      notices.push({ at, kind: 'cluster', level, text })
    }
    const known = new Map(earlier.guests.map((guest) => [guest.vmid, guest]))
    for (const guest of guests) {
      const { vmid, node, status } = guest
      const was = known.get(vmid)?.status
      if (was === undefined || was === status) continue
      // The lost node has a line of its own.
      if (status === 'unknown' && nodes.some(({ name, status: its }) => name === node && its !== 'online')) continue
      const level = status === 'unknown' ? 'warning' : 'info'
      notices.push({ at, kind: 'guest', level, vmid, node, text: `${nameOf(guest)} is ${status}, was ${was}` })
    }
    const reach = new Map(earlier.storages.map((storage) => [idOf(storage), storage.isActive]))
    const online = new Set(nodes.filter(({ status }) => status === 'online').map(({ name }) => name))
    for (const storage of storages) {
      const was = reach.get(idOf(storage))
      const isWithItsNode = storage.node !== undefined && !online.has(storage.node)
      if (was === undefined || was === null || was === storage.isActive || storage.isActive === null) continue
      if (isWithItsNode) continue
      const text = `Storage ${placeOf(storage)} is ${storage.isActive ? 'reachable again' : 'not reachable'}`
      notices.push({ at, kind: 'storage', level: storage.isActive ? 'info' : 'error', text, ...nodeOf(storage) })
    }
    return notices
  }

  function tasksOf({ at, tasks }: ClusterState, isFirst: boolean): ToldNotice[] {
    const notices: ToldNotice[] = []
    for (const task of [...tasks].reverse()) {
      const { upid, node, vmid, status, exitStatus, endedAt } = task
      if (status === 'running' || toldTasks.has(upid)) continue
      toldTasks.add(upid)
      // The list of a returned node contains old tasks.
      if (isFirst || (before !== undefined && endedAt !== undefined && endedAt < before.at - oldTaskMs)) continue
      notices.push({
        at,
        kind: 'task',
        level: levels[status],
        node,
        text: taskWords(task),
        ...(vmid !== undefined && { vmid }),
        ...(exitStatus === 'job errors' && { task }),
      })
    }
    for (const upid of toldTasks) {
      if (toldTasks.size <= mostTasksKept) break
      toldTasks.delete(upid)
    }
    return notices
  }

  /** Reports unexpected stops after a delay, in which a task or HA may explain the stop, or the guest may run again. */
  function surprises(state: ClusterState): Notice[] {
    const { at } = state
    const byVmid = new Map(state.guests.map((guest) => [guest.vmid, guest]))
    const stops = stopsOf(state)
    for (const vmid of toldStops.keys()) if (!stops.has(vmid)) toldStops.delete(vmid)
    return [...stops].flatMap(([vmid, { since, is }]): Notice[] => {
      const guest = byVmid.get(vmid)
      if (guest === undefined || is !== 'bare' || at - since < taskMayShowMs || toldStops.get(vmid) === since) return []
      toldStops.set(vmid, since)
      const text = `${nameOf(guest)} stopped unexpectedly: no task did it`
      return [{ at, kind: 'guest', level: 'error', vmid, node: guest.node, text }]
    })
  }

  function fillings({ at, storages }: ClusterState): Notice[] {
    const notices: Notice[] = []
    const [fullRatio] = limits().storageRatio
    for (const storage of storages) {
      const ratio = shareOf(storage.usedBytes, storage.totalBytes)
      if (ratio === undefined || isUnlooked(storage, limits())) continue
      if (storage.isActive && ratio < fullRatio - emptiedBy) full.delete(idOf(storage))
      if (!storage.isActive || ratio < fullRatio || full.has(idOf(storage))) continue
      full.add(idOf(storage))
      const text = `Storage ${placeOf(storage)} is ${percent(ratio)} full`
      notices.push({ at, kind: 'storage', level: 'warning', text, ...nodeOf(storage) })
    }
    return notices
  }

  function staleBackups({ at, guests, clockOffMs }: ClusterState): Notice[] {
    const now = clusterTime(at, { clockOffMs })
    const late: Guest[] = []
    for (const guest of guests) {
      if (backupAgeTone(guest.backupAt, now, limits()) === undefined) stale.delete(guest.vmid)
      else if (!stale.has(guest.vmid)) {
        stale.add(guest.vmid)
        late.push(guest)
      }
    }
    const [only] = late
    if (only === undefined) return []
    const names = firstOf(late.map(nameOf), mostNamed)
    const text = `No backup for more than ${spanOf(limits().backupHours[0] * 3_600)}: ${names}`
    const about = late.length === 1 ? { vmid: only.vmid, node: only.node } : {}
    return [{ at, kind: 'backup', level: 'warning', text, ...about }]
  }

  return (state) => {
    const earlier = before
    const isAway = state.unreachableSince !== undefined
    const wasAway = earlier?.unreachableSince !== undefined
    if (isAway !== wasAway && (earlier !== undefined || isAway)) {
      before = { ...(earlier ?? state), unreachableSince: state.unreachableSince } as ClusterState
      if (isAway) {
        const text = `The cluster cannot be reached: ${state.missing[0] ?? ''}`.slice(0, 400)
        return [{ at: state.unreachableSince ?? state.at, kind: 'cluster', level: 'error', text }]
      }
    }
    // Nothing is known yet, or nothing is new.
    if (isAway || state.nodes.length === 0) return []
    const back: Notice[] = wasAway
      ? [{ at: state.at, kind: 'cluster', level: 'info', text: 'The cluster can be reached again' }]
      : []
    const isFirst = earlier === undefined || earlier.nodes.length === 0
    const notices = [
      ...back,
      ...(isFirst ? standing(state) : statesOf(earlier, state)),
      ...tasksOf(state, isFirst),
      ...surprises(state),
      ...fillings(state),
      ...staleBackups(state),
    ]
    before = state
    return notices
  }
}

/** How a task ended, in a line. */
export const taskWords = ({ type, node, vmid, status, exitStatus, reason }: Task): string =>
  `${plainName(type)}${vmid === undefined ? '' : ` ${vmid}`} on ${plainName(node)}: ${reason === undefined ? plainName(exitStatus ?? status) : oneLine(reason, mostReason)}`

const levels = { ok: 'info', warnings: 'warning', failed: 'error' } as const satisfies Record<
  Exclude<Task['status'], 'running'>,
  Notice['level']
>

/** The problems in the first state. */
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
