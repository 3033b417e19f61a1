import type { ClusterState, Guest } from 'protocol'

/** Longest time, ms, until a task is seen after its effect was seen, or its effect is seen after the task ended. */
export const taskMayShowMs = 10_000
const taskExplainsMs = 90_000
/** A guest that stops is no surprise if its node started less than this ago, seconds. */
const freshNodeS = 600

/** `stopsOne`: types of tasks that stop the guest they name. `stopsMany`: types of tasks that stop the guests of their node. */
const stopsOne = new Set([
  ...['qmstop', 'qmshutdown', 'qmreboot', 'qmreset', 'qmsuspend', 'qmpause', 'qmigrate'],
  ...['qmdestroy', 'qmrollback', 'qmrestore', 'qmtemplate'],
  ...['vzstop', 'vzshutdown', 'vzreboot', 'vzsuspend', 'vzmigrate'],
  ...['vzdestroy', 'vzrollback', 'vzrestore', 'vztemplate'],
  ...['hastop', 'hashutdown', 'hamigrate'],
])
const stopsMany = new Set(['stopall', 'suspendall', 'migrateall'])
/** Time after a stop in which a task may still appear that explains the stop, ms. Later the stop stays unexplained. */
const mayExplainMs = 2 * taskMayShowMs

/**
 * A guest that was seen running, and then off. `since`: when it was first seen off, by the time of the states, Unix ms. `bare`: nothing explains the
 * stop so far. `held`: a backup runs or the guest is locked, which may have stopped the guest and may start it again; the stop is judged once that
 * has ended.
 */
export type Stop = { since: number; is: 'bare' | 'explained' | 'held' }

/**
 * Follows which guests stop. Tells if a task, HA or the node explains the stop. A task counts from the time of the state in which it was first seen,
 * so that no other clock matters. A task may appear after its effect: wait `taskMayShowMs` before you report a stop as unexplained.
 * @returns a function that takes each state in turn and returns, by vmid, the guests that stopped and have not been seen running since
 */
export function createStops(): (state: ClusterState) => ReadonlyMap<number, Stop> {
  const running = new Set<number>()
  const guestOf = new Map<number, string>()
  const stops = new Map<number, Stop>()
  /** Ended tasks in the last state; undefined before the first state. */
  let told: Set<string> | undefined
  /** When a task that stops guests was last seen running or newly ended, by vmid or by node, Unix ms. */
  const stoppers = new Map<number | string, number>()

  function follow({ at, tasks }: ClusterState) {
    const before = told
    told = new Set()
    // The list of a node that has come back has old tasks. They are recognised by their age compared with the newest task.
    const latest = Math.max(...tasks.map(({ endedAt, startedAt }) => endedAt ?? startedAt))
    for (const { upid, type, node, vmid, status, endedAt = latest } of tasks) {
      const isOver = status !== 'running'
      if (isOver) told.add(upid)
      if (isOver && (before === undefined || before.has(upid) || endedAt < latest - taskExplainsMs)) continue
      if (vmid !== undefined && stopsOne.has(type)) stoppers.set(vmid, at)
      if (stopsMany.has(type)) stoppers.set(node, at)
    }
  }

  const explains = ({ vmid, node, haState }: Guest, since: number, nodes: ClusterState['nodes']): boolean =>
    (haState !== undefined && haState !== 'started') ||
    (stoppers.get(vmid) ?? 0) >= since - taskExplainsMs ||
    (stoppers.get(node) ?? 0) >= since - taskExplainsMs ||
    (nodes.find(({ name }) => name === node)?.uptimeS ?? freshNodeS) < freshNodeS

  function judged(guest: Guest, stop: Stop, { at, nodes, tasks }: ClusterState): Stop {
    if (stop.is === 'explained' || (stop.is === 'bare' && at - stop.since > mayExplainMs)) return stop
    const isBackedUp = tasks.some(
      ({ status, type, vmid, node }) =>
        status === 'running' && type === 'vzdump' && (vmid === undefined ? node === guest.node : vmid === guest.vmid),
    )
    if (isBackedUp || guest.lock !== undefined) return { since: at, is: 'held' }
    return { since: stop.since, is: explains(guest, stop.since, nodes) ? 'explained' : 'bare' }
  }

  return (state) => {
    const { at, guests, unread = [], unreachableSince } = state
    if (unreachableSince !== undefined || unread.includes('guests')) return stops
    follow(state)
    const here = new Set(guests.map(({ vmid }) => vmid))
    for (const map of [stops, guestOf]) for (const vmid of map.keys()) if (!here.has(vmid)) map.delete(vmid)
    for (const guest of guests) {
      const { vmid, status, identity } = guest
      // The vmid now belongs to another guest, so the guest that ran before did not just stop.
      if (identity !== undefined && identity.id !== (guestOf.get(vmid) ?? identity.id)) {
        running.delete(vmid)
        stops.delete(vmid)
      }
      if (identity !== undefined) guestOf.set(vmid, identity.id)
      if (status === 'running' || status === 'paused') {
        running.add(vmid)
        stops.delete(vmid)
      }
      if (status !== 'stopped') continue
      if (running.delete(vmid)) stops.set(vmid, { since: at, is: 'bare' })
      const stop = stops.get(vmid)
      if (stop !== undefined) stops.set(vmid, judged(guest, stop, state))
    }
    return stops
  }
}
