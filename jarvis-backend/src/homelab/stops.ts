import type { ClusterState, Guest } from 'protocol'

/** A task may be seen later than its effect, and its effect later than its end, ms. */
export const taskMayShowMs = 10_000
const taskExplainsMs = 90_000
/** Guests that stop because their node has just restarted are no surprise, seconds. */
const freshNodeS = 600

/** Tasks that stop the guest they name, and tasks that stop guests of their node. */
const stopsOne = new Set([
  ...['qmstop', 'qmshutdown', 'qmreboot', 'qmreset', 'qmsuspend', 'qmpause', 'qmigrate'],
  ...['qmdestroy', 'qmrollback', 'qmrestore', 'qmtemplate'],
  ...['vzstop', 'vzshutdown', 'vzreboot', 'vzsuspend', 'vzmigrate'],
  ...['vzdestroy', 'vzrollback', 'vzrestore', 'vztemplate'],
  ...['hastop', 'hashutdown', 'hamigrate'],
])
const stopsMany = new Set(['stopall', 'suspendall', 'migrateall'])
/** So long after a stop its explanation may still show, ms. Later nothing explains it. */
const mayExplainMs = 2 * taskMayShowMs

/**
 * A guest that was seen running, and then off. `since`: when it was first seen off, by the time of the states. `held`: a backup or a lock may have
 * stopped it and starts it again; it is judged once that has ended.
 */
export type Stop = { since: number; is: 'bare' | 'explained' | 'held' }

/**
 * Follows which guests stop, and whether a task, HA or their node explains it. Tasks count from when they were first seen, so that no clock but the
 * one that stamps the states counts. Until a task had time to show, a stop is not explained: wait `taskMayShowMs`.
 * @returns a function that takes each state in turn and tells the guests that are off since they were last seen running, by number
 */
export function createStops(): (state: ClusterState) => ReadonlyMap<number, Stop> {
  const running = new Set<number>()
  const guestOf = new Map<number, string>()
  const stops = new Map<number, Stop>()
  /** Ended tasks that were there at the first look, or were seen since. */
  let told: Set<string> | undefined
  /** When a task that stops guests was last seen to run or to have ended, by vmid or by node. */
  const stoppers = new Map<number | string, number>()

  function follow({ at, tasks }: ClusterState) {
    const before = told
    told = new Set()
    // A node that is back lists old tasks: they are old beside the others.
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
      // Another guest with the number did not stop.
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
