import { type Clock, sleep } from '../../lib/clock.ts'
import { type Guest, JarvisError, type Task } from '../../protocol/index.ts'
import { seenAfter } from '../format.ts'
import type { CallOptions, Cluster, PowerAction, PowerOutcome } from '../ports.ts'
import { mustBeAsExpected } from '../same-guest.ts'
import { ApiError } from './failure.ts'
import { followTask } from './follow.ts'
import { type Place, pathOf, seeGuest } from './guest.ts'
import type { Sighting } from './known.ts'
import type { Api } from './transport.ts'
import { parseUpid, statusOf, taskOf } from './upid.ts'

const pollMs = 1_000
const seenWithinMs = 30_000
/** HA's manager looks every ten seconds, and its own shutdown may take two minutes. */
const haSeenWithinMs = 180_000

export type PowerParts = {
  api: Api
  clock: Clock
  /** Where and what it is now, as `countsAsNowMs` has it. @throws JarvisError `not_found`, `cluster_unreachable` (its node is offline). */
  find(vmid: number, signal: AbortSignal): Promise<Place & { name: string; isHa: boolean }>
  noteTask(task: Task): void
  noteGuest(vmid: number, seen: Sighting): void
}

/** Starts the task, follows it to its end, and looks at the guest itself. */
export async function power(
  parts: PowerParts,
  vmid: number,
  action: PowerAction,
  force: boolean,
  options: Parameters<Cluster['power']>[3],
): Promise<PowerOutcome> {
  const { clock } = parts
  const { signal, onProgress } = options
  if (signal.aborted) throw signal.reason
  const startedAt = clock.now()
  const guest = await parts.find(vmid, signal)
  mustBeAsExpected(vmid, options.expected, guest)
  const goal = action === 'stop' ? 'stopped' : 'running'

  let last: { upid?: string; exitStatus: string } = { exitStatus: '' }
  const steps = stepsOf(guest, action, force && action !== 'start')
  for (const [index, step] of steps.entries()) {
    // A container that is to be started again must be down first.
    if (index > 0) await untilSeen(parts, guest, 'stopped', undefined, signal)
    last = await runStep(parts, guest, step, options)
    if (last.upid === undefined || statusOf(last.exitStatus) === 'failed') {
      const seen = await look(parts, guest, signal)
      return { ...last, ok: false, observed: seen?.status ?? 'unknown', durationMs: clock.now() - startedAt }
    }
  }
  onProgress?.(seenAfter(last, vmid, goal))
  // A reset leaves the VM's process, and with it its uptime, as it was.
  const isNewRun = steps.at(-1) === 'reboot' || steps.at(-1) === 'start'
  const observed = await untilSeen(parts, guest, goal, isNewRun ? startedAt : undefined, signal)
  return { ...last, ok: true, observed, durationMs: clock.now() - startedAt }
}

type Step = 'start' | 'shutdown' | 'stop' | 'reboot' | 'reset'

/** Clean by default: `stop` and `reset` are the power plug. */
function stepsOf({ type }: Place, action: PowerAction, isForced: boolean): Step[] {
  if (action === 'start') return ['start']
  if (action === 'stop') return [isForced ? 'stop' : 'shutdown']
  if (!isForced) return ['reboot']
  // A container has no reset button: it is stopped and started.
  return type === 'vm' ? ['reset'] : ['stop', 'start']
}

/** @returns no `upid` where Proxmox refused before there was a task: `exitStatus` then has its words. */
async function runStep(
  { api, clock, noteTask }: PowerParts,
  guest: Place,
  step: Step,
  { signal, onProgress, onTask }: CallOptions,
): Promise<{ upid?: string; exitStatus: string }> {
  let upid: unknown
  try {
    upid = await api.post([...pathOf(guest), step], {}, { signal })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'cluster_refused') throw error
    return { exitStatus: error.words }
  }
  const task = parseUpid(upid)
  if (typeof upid !== 'string' || task === undefined) {
    throw new JarvisError(
      'outcome_unknown',
      `Proxmox took the ${step} of ${guest.vmid} and named no task: whether it was carried out is not known.`,
    )
  }
  onTask?.(upid)
  onProgress?.(`Task ${task.type} running`)
  const [begun] = taskOf({ upid })
  if (begun !== undefined) noteTask(begun)
  const exitStatus = await followTask(api, upid, task, { clock, signal, ...(onProgress && { onProgress }) })
  if (begun !== undefined) noteTask({ ...begun, status: statusOf(exitStatus), exitStatus, endedAt: clock.now() })
  return { upid, exitStatus }
}

/**
 * Looks at the guest each second until it is as wanted. HA's task ends once HA has taken the request, and a VM reads
 * stopped for a moment between the halves of its reboot.
 * @param since where it must run anew: when the first request was made.
 * @returns how it was seen last; `unknown` where nothing could be seen.
 */
async function untilSeen(
  parts: PowerParts,
  guest: Place & { isHa: boolean },
  goal: Guest['status'],
  since: number | undefined,
  signal: AbortSignal,
): Promise<Guest['status']> {
  const { clock } = parts
  const giveUpAt = clock.now() + (guest.isHa ? haSeenWithinMs : seenWithinMs)
  let place: Place = guest
  let seen: Sighting | undefined
  for (;;) {
    seen = await look(parts, place, signal)
    const isAnew = since === undefined || seen === undefined || seen.uptimeS <= (seen.at - since) / 1000 + 2
    if (seen?.status === goal && isAnew) return goal
    if (clock.now() >= giveUpAt) return seen?.status ?? 'unknown'
    await sleep(clock, pollMs, signal)
    // HA may have started it elsewhere.
    if (seen === undefined) place = await parts.find(place.vmid, signal).catch(() => place)
    if (signal.aborted) throw signal.reason
  }
}

/** @returns undefined where the guest cannot be seen now. */
async function look(
  { api, clock, noteGuest }: PowerParts,
  place: Place,
  signal: AbortSignal,
): Promise<Sighting | undefined> {
  try {
    const seen = await seeGuest(api, place, () => clock.now(), signal)
    noteGuest(place.vmid, seen)
    return seen
  } catch (_error) {
    if (signal.aborted) throw signal.reason
    return undefined
  }
}
