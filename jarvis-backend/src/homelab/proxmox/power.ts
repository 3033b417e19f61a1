import { newest } from 'homelab-ports/newest-tasks'
import { seenAfter } from 'homelab-ports/power-words'
import { mustBeAsExpected } from 'homelab-ports/same-guest'
import type { Guest, Task } from 'protocol'
import { runTask } from '../operations/run-task.ts'
import type { Cluster, PowerAction, PowerOutcome, PveApi } from '../ports.ts'
import { rowsOf, TaskRow } from '../pve/answers.ts'
import { followTask } from '../pve/follow.ts'
import { guestPath, type Place } from '../pve/guest.ts'
import { statusOf, taskOf } from '../pve/upid.ts'
import { seeGuest } from './guest.ts'
import type { Sighting } from './known.ts'

const pollMs = 1_000
const seenWithinMs = 30_000
/** Time until a guest under HA is seen, ms: HA's manager acts every ten seconds, and its shutdown may take two minutes. */
const haSeenWithinMs = 180_000

export type PowerParts = {
  api: PveApi
  /** Finds the guest, by a read no older than `countsAsNowMs`. @throws JarvisError `not_found`, `cluster_unreachable` (its node is offline) */
  find(vmid: number, signal: AbortSignal): Promise<Place & { name: string; isHa: boolean }>
  noteGuest(vmid: number, seen: Sighting): void
}

/** Starts the task, follows it to its end, and observes the guest. */
export async function power(
  parts: PowerParts,
  vmid: number,
  action: PowerAction,
  force: boolean,
  options: Parameters<Cluster['power']>[3],
): Promise<PowerOutcome> {
  const { api } = parts
  const { signal, onProgress } = options
  if (signal.aborted) throw signal.reason
  const startedAt = api.now()
  const guest = await parts.find(vmid, signal)
  mustBeAsExpected(vmid, options.expected, guest)
  const goal = action === 'stop' ? 'stopped' : 'running'

  let last: Pick<PowerOutcome, 'upid' | 'exitStatus'> = { exitStatus: '' }
  const steps = stepsOf(guest, action, force && action !== 'start')
  for (const [index, step] of steps.entries()) {
    // A container must be down before it can be started again.
    if (index > 0) await untilSeen(parts, guest, 'stopped', undefined, signal)
    const request = { path: [...guestPath(guest), 'status', step], what: `the ${step} of ${vmid}` }
    const { upid, exitStatus, ok } = await runTask(api, request, options)
    last = { exitStatus, ...(upid !== undefined && { upid }) }
    if (!ok) {
      const seen = await look(parts, guest, signal)
      return { ...last, ok: false, observed: seen?.status ?? 'unknown', durationMs: api.now() - startedAt }
    }
  }
  onProgress?.(seenAfter(last, vmid, goal))
  // A reset keeps the VM's process and its uptime.
  const isNewRun = steps.at(-1) === 'reboot' || steps.at(-1) === 'start'
  const observed = await untilSeen(parts, guest, goal, isNewRun ? startedAt : undefined, signal)
  const start =
    steps.at(-1) === 'reboot' && guest.type === 'vm' ? await startAfter(api, vmid, startedAt, signal) : undefined
  if (start !== undefined) {
    const exitStatus = await followTask(api, start.upid, { ...start, id: String(vmid) }, { signal, onProgress })
    if (statusOf(exitStatus) === 'failed') {
      const seen = await look(parts, guest, signal)
      return {
        upid: start.upid,
        exitStatus,
        ok: false,
        observed: seen?.status ?? 'unknown',
        durationMs: api.now() - startedAt,
      }
    }
  }
  return { ...last, ok: true, observed, durationMs: api.now() - startedAt }
}

/** UPIDs have whole seconds, and the node's clock may be a little behind. */
const slackMs = 2_000

/** The start that follows a VM's reboot as a task of its own; undefined where no task is seen. @param since Unix ms @throws the signal's reason */
async function startAfter(api: PveApi, vmid: number, since: number, signal: AbortSignal): Promise<Task | undefined> {
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

/** Clean shutdown by default; `stop` and `reset` cut the power. */
function stepsOf({ type }: Place, action: PowerAction, isForced: boolean): Step[] {
  if (action === 'start') return ['start']
  if (action === 'stop') return [isForced ? 'stop' : 'shutdown']
  if (!isForced) return ['reboot']
  // A container cannot be reset, so it is stopped and started.
  return type === 'vm' ? ['reset'] : ['stop', 'start']
}

/**
 * Reads the guest each second until it reaches `goal`. HA's task ends once HA has accepted the request, and a VM is shown as stopped for
 * a moment during its reboot.
 * @param since for a restart: when the first request was made
 * @returns the last state; `unknown` where the guest could not be read
 */
async function untilSeen(
  parts: PowerParts,
  guest: Place & { isHa: boolean },
  goal: Guest['status'],
  since: number | undefined,
  signal: AbortSignal,
): Promise<Guest['status']> {
  const { api } = parts
  const giveUpAt = api.now() + (guest.isHa ? haSeenWithinMs : seenWithinMs)
  let place: Place = guest
  let seen: Sighting | undefined
  for (;;) {
    seen = await look(parts, place, signal)
    const isAnew = since === undefined || seen === undefined || seen.uptimeS <= (seen.at - since) / 1000 + 2
    if (seen?.status === goal && isAnew) return goal
    if (api.now() >= giveUpAt) return seen?.status ?? 'unknown'
    await api.wait(pollMs, signal)
    // HA may have started it on another node.
    if (seen === undefined) place = await parts.find(place.vmid, signal).catch(() => place)
    if (signal.aborted) throw signal.reason
  }
}

/** @returns undefined where the guest cannot be read now */
async function look({ api, noteGuest }: PowerParts, place: Place, signal: AbortSignal): Promise<Sighting | undefined> {
  try {
    const seen = await seeGuest(api, place, api.now, signal)
    noteGuest(place.vmid, seen)
    return seen
  } catch (_error) {
    if (signal.aborted) throw signal.reason
    return undefined
  }
}
