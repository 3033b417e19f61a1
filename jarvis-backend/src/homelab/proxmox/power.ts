import { newest } from 'homelab-ports/newest-tasks'
import type { CallOptions, PowerAction, PowerOutcome, PowerRequest, PveApi } from 'homelab-ports/ports'
import { seenAfter } from 'homelab-ports/power-words'
import { mustBeAsExpected } from 'homelab-ports/same-guest'
import { asFarAsSeen, type Guest, JarvisError, type Task } from 'protocol'
import { runTask } from '../operations/run-task.ts'
import { rowsOf, TaskRow } from '../pve/answers.ts'
import { followTask } from '../pve/follow.ts'
import { guestPath, type Place } from '../pve/guest.ts'
import { emptyLine } from '../pve/rights.ts'
import { statusOf, taskOf } from '../pve/upid.ts'
import { seeGuest } from './guest.ts'
import type { Sighting } from './known.ts'
import type { Sight } from './sight.ts'

const pollMs = 1_000
const seenWithinMs = 30_000
/** Longest wait until a guest under HA reaches the wanted state, ms. HA's manager acts every ten seconds, and a shutdown may take two minutes. */
const haSeenWithinMs = 180_000

/** The parts that a power action needs. */
type Powering = { api: PveApi; sight: Sight; signal: AbortSignal }
type PoweredGuest = Place & Pick<Guest, 'name' | 'isHa'>

/** Starts the task, waits until it ends, and observes the guest's state after it. */
export async function power(
  parts: Omit<Powering, 'signal'>,
  { vmid, action, isForced = false, expected }: PowerRequest,
  options: CallOptions,
): Promise<PowerOutcome> {
  const { api } = parts
  const { signal, onProgress } = options
  if (signal.aborted) throw signal.reason
  const on: Powering = { ...parts, signal }
  const startedAt = api.now()
  const guest = await find(on, vmid)
  mustBeAsExpected(vmid, expected, guest)
  const goal = action === 'stop' ? 'stopped' : 'running'
  const failed = async (said: Pick<PowerOutcome, 'upid' | 'exitStatus'>): Promise<PowerOutcome> => {
    const seen = await look(on, guest)
    return { ...said, ok: false, observed: seen?.status ?? 'unknown', durationMs: api.now() - startedAt }
  }

  let last: Pick<PowerOutcome, 'upid' | 'exitStatus'> = { exitStatus: '' }
  const steps = stepsOf(guest, action, isForced)
  for (const [index, step] of steps.entries()) {
    // A container must be down before it can be started again.
    if (index > 0) await untilSeen(on, guest, { goal: 'stopped' })
    const request = { path: [...guestPath(guest), 'status', step], what: `the ${step} of ${vmid}` }
    const { upid, exitStatus, ok } = await runTask(api, request, options)
    last = { exitStatus, upid }
    if (!ok) return failed(last)
  }
  onProgress?.(seenAfter(last, vmid, goal))
  // A reset begins no new run: it keeps the VM's process and its uptime.
  const isNewRun = steps.at(-1) === 'reboot' || steps.at(-1) === 'start'
  const observed = await untilSeen(on, guest, { goal, since: isNewRun ? startedAt : undefined })
  const start = steps.at(-1) === 'reboot' && guest.type === 'vm' ? await startAfter(on, vmid, startedAt) : undefined
  if (start !== undefined) {
    const { upid } = start
    const exitStatus = await followTask(api, start, { signal, onProgress })
    if (statusOf(exitStatus) === 'failed') return failed({ upid, exitStatus })
  }
  return { ...last, ok: true, observed, durationMs: api.now() - startedAt }
}

/** Finds the guest in a fresh read. @throws JarvisError `not_found`, `cluster_unreachable` (the guest's node is offline) */
async function find({ sight, signal }: Powering, vmid: number): Promise<PoweredGuest> {
  await sight.lookUnlessJustNow(vmid, signal)
  const { guests, nodes, hidden } = sight.state()
  const guest = guests.find((candidate) => candidate.vmid === vmid)
  if (guest === undefined) {
    const blind =
      guests.length === 0
        ? emptyLine(sight.known.rights, ' Guests', { right: 'VM.Audit', base: '/vms' }).map((line) => `${line}.`)
        : []
    throw new JarvisError(
      'not_found',
      `There is no guest ${vmid}${asFarAsSeen('guests', { hidden })}.${blind.join('')}`,
    )
  }
  if (nodes.find(({ name }) => name === guest.node)?.status === 'offline') {
    throw new JarvisError('cluster_unreachable', `${guest.node} is offline, and ${vmid} is on it. Nothing was done.`)
  }
  return { vmid, node: guest.node, type: guest.type, name: guest.name, isHa: guest.isHa }
}

/** Tolerance, ms: UPIDs have whole seconds, and the node's clock may be a little behind. */
const slackMs = 2_000

/**
 * Returns the start task that follows a VM's reboot as a separate task; undefined if none is seen. @param since Unix ms @throws the signal's reason
 */
async function startAfter({ api, signal }: Powering, vmid: number, since: number): Promise<Task | undefined> {
  try {
    const { rows } = rowsOf(TaskRow, await api.get(['cluster', 'tasks'], {}, { signal }))
    return newest(
      rows
        .flatMap(taskOf)
        .filter((task) => task.type === 'qmstart' && task.vmid === vmid && task.startedAt >= since - slackMs),
      1,
    )[0]
  } catch (_error) {
    if (signal.aborted) throw signal.reason
    return undefined
  }
}

type Step = 'start' | 'shutdown' | 'stop' | 'reboot' | 'reset'

/** Returns the steps of an action: by default a clean shutdown; if forced, `stop` or `reset`, which cut the power. */
function stepsOf({ type }: Place, action: PowerAction, isForced: boolean): Step[] {
  if (action === 'start') return ['start']
  if (action === 'stop') return [isForced ? 'stop' : 'shutdown']
  if (!isForced) return ['reboot']
  // A container cannot be reset, so it is stopped and started.
  return type === 'vm' ? ['reset'] : ['stop', 'start']
}

/**
 * Reads the guest each second until it reaches `goal`. Waiting is needed because HA's task ends once HA has accepted the request, and a VM is shown
 * as stopped for a moment during its reboot.
 * @param until.since for a restart: when the first request was made
 * @returns the last state; `unknown` if the guest could not be read
 */
async function untilSeen(
  parts: Powering,
  guest: PoweredGuest,
  { goal, since }: { goal: Guest['status']; since?: number | undefined },
): Promise<Guest['status']> {
  const { api, signal } = parts
  const giveUpAt = api.now() + (guest.isHa ? haSeenWithinMs : seenWithinMs)
  let place: Place = guest
  let seen: Sighting | undefined
  for (;;) {
    seen = await look(parts, place)
    const isAnew = since === undefined || seen === undefined || seen.uptimeS <= (seen.at - since) / 1000 + 2
    if (seen?.status === goal && isAnew) return goal
    if (api.now() >= giveUpAt) return seen?.status ?? 'unknown'
    await api.wait(pollMs, signal)
    // Find the guest again, because HA may have started it on another node.
    if (seen === undefined) place = await find(parts, place.vmid).catch(() => place)
    if (signal.aborted) throw signal.reason
  }
}

/** Reads the guest once. @returns undefined if the guest cannot be read now */
async function look({ api, sight, signal }: Powering, place: Place): Promise<Sighting | undefined> {
  try {
    const seen = await seeGuest(api, place, { now: () => api.now(), signal })
    sight.known.sightings.set(place.vmid, seen)
    sight.changed()
    return seen
  } catch (_error) {
    if (signal.aborted) throw signal.reason
    return undefined
  }
}
