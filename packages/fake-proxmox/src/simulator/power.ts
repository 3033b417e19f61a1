import type { CallOptions, PowerAction, PowerOutcome, PowerRequest } from 'homelab-ports/ports'
import { notSent, seenAfter } from 'homelab-ports/power-words'
import { mustBeAsExpected } from 'homelab-ports/same-guest'
import { type Guest, JarvisError, type Task } from 'protocol'
import type { PowerStep } from '../pve-model/host.ts'
import { Refusal } from '../pve-model/refusal.ts'
import { beginTask, endTask } from './tasks.ts'
import type { SimGuest, World } from './world.ts'

/** Times in ms at speed 1. */
const pollMs = 1_000
const lockWaitMs = 3_000
const shutdownPatienceMs = 60_000
const seenWithinMs = 30_000

type Kind = 'start' | 'shutdown' | 'stop' | 'reboot' | 'reset' | 'hastart' | 'hastop'

const durationMs: Record<Kind, { vm: number; ct: number }> = {
  start: { vm: 3_000, ct: 1_500 },
  shutdown: { vm: 6_000, ct: 3_000 },
  stop: { vm: 1_000, ct: 1_000 },
  reboot: { vm: 5_000, ct: 4_000 },
  reset: { vm: 1_000, ct: 1_000 },
  hastart: { vm: 1_000, ct: 1_000 },
  hastop: { vm: 1_000, ct: 1_000 },
}

/** Starts the task, follows it and observes the guest. The task goes on when the caller stops waiting. */
export async function power(
  world: World,
  { vmid, action, expected, ...request }: PowerRequest,
  { signal, onProgress, onTask }: CallOptions,
): Promise<PowerOutcome> {
  const isForced = request.isForced === true && action !== 'start'
  await world.arrive(signal)
  const guest = world.guest(vmid)
  mustBeAsExpected(vmid, expected, guest)
  world.onlineNode(guest.node)
  const startedAt = world.clock.now()
  const outcome = (task: Task | undefined, exitStatus: string): PowerOutcome => ({
    ...(task !== undefined && { upid: task.upid }),
    exitStatus,
    ok: task?.status === 'ok' || task?.status === 'warnings',
    observed: world.statusOf(guest),
    durationMs: world.clock.now() - startedAt,
  })
  if (!world.isQuorate()) return outcome(undefined, notSent)
  world.record('power', `${action} ${vmid}${isForced ? ' force' : ''}`)
  const refusal = refusalOf(world, guest, { action, isForced })
  if (refusal !== undefined) return outcome(undefined, refusal)

  let task: Task | undefined
  for (const kind of kindsOf(guest, action, isForced)) {
    const begun = runTask(world, guest, kind)
    onTask?.(begun.upid)
    onProgress?.(`Task ${begun.type} running`)
    task = await followed(world, begun, signal)
    if (task.status === 'failed') return outcome(task, task.exitStatus ?? '')
  }

  const goal = action === 'stop' ? 'stopped' : 'running'
  onProgress?.(seenAfter(outcome(task, task?.exitStatus ?? ''), vmid, goal))
  // Count the looks instead of using the clock: on a busy machine the clock goes on while the guest's events are late.
  for (let waitedMs = 0; world.statusOf(guest) !== goal && waitedMs < seenWithinMs; waitedMs += pollMs) {
    await world.wait(pollMs, signal)
  }
  return outcome(task, task?.exitStatus ?? '')
}

/** Starts a single power step, as requested on the guest's page. @returns the UPID @throws Refusal */
export function powerStep(world: World, guest: SimGuest, step: PowerStep): string {
  const action = step === 'start' ? 'start' : step === 'reboot' || step === 'reset' ? 'restart' : 'stop'
  const refusal = refusalOf(world, guest, { action, isForced: step === 'stop' || step === 'reset' })
  if (refusal !== undefined) throw new Refusal(500, refusal)
  const isRequest = guest.isHa && action !== 'restart' && !(action === 'stop' && guest.status === 'stopped')
  return runTask(world, guest, isRequest ? (action === 'start' ? 'hastart' : 'hastop') : step).upid
}

function kindsOf(guest: SimGuest, action: PowerAction, isForced: boolean): Kind[] {
  if (action === 'start') return [guest.isHa ? 'hastart' : 'start']
  if (action === 'stop') return [guest.isHa ? 'hastop' : isForced ? 'stop' : 'shutdown']
  if (!isForced) return ['reboot']
  // A container cannot be reset, so stop and start it.
  return guest.type === 'vm' ? ['reset'] : ['stop', 'start']
}

/** Returns the error that Proxmox gives before a task begins; undefined if there is none. */
function refusalOf(
  world: World,
  guest: SimGuest,
  { action, isForced }: Pick<PowerRequest, 'action' | 'isForced'>,
): string | undefined {
  const { vmid, type, status } = guest
  if (action === 'start') {
    if (!world.isQuorate()) return 'cluster not ready - no quorum?'
    return type === 'ct' && status !== 'stopped' && !guest.isHa ? `CT ${vmid} already running` : undefined
  }
  if (status === 'paused' && !isForced) return 'VM is paused - cannot shutdown'
  if (status !== 'stopped') return undefined
  // Proxmox says VM here even for containers.
  if (action === 'restart') return `VM ${vmid} not running`
  return type === 'ct' ? `CT ${vmid} not running` : undefined
}

/** Starts a task. Its effects happen later by timers. */
function runTask(world: World, guest: SimGuest, kind: Kind): Task {
  const { vmid, node, type } = guest
  const task = beginTask(world, { node, vmid, type: typeName(kind, type) })
  const isRequest = kind === 'hastart' || kind === 'hastop'
  const failure = isRequest ? undefined : failureOf(guest, kind)
  if (failure !== undefined) {
    world.later(failure.afterMs, () => {
      if (!isRunning(world, task)) return
      if (failure.held) guest.isHeld = false
      endTask(world, task.upid, failure.exitStatus)
    })
    if (failure.held) guest.isHeld = true
    return task
  }
  const ms = durationMs[kind][type]
  if (isRequest) {
    world.later(ms, () => {
      endTask(world, task.upid, 'OK')
      world.later(2_000, () => runTask(world, guest, kind === 'hastart' ? 'start' : 'shutdown'))
    })
    return task
  }

  guest.isHeld = true
  world.later(ms, () => {
    if (!isRunning(world, task)) return
    endTask(world, task.upid, 'OK')
    // The reboot task of a VM ends when the VM is down. Another task starts the VM a moment later.
    if (kind === 'reboot' && type === 'vm') {
      guest.status = 'stopped'
      world.later(1_500, () => {
        const isThere = guest.isHeld && world.nodes.get(node)?.offlineSince === undefined
        guest.isHeld = false
        if (isThere) runTask(world, guest, 'start')
      })
      return
    }
    guest.isHeld = false
    if (kind === 'stop' || kind === 'shutdown') guest.status = 'stopped'
    else bootGuest(world, guest)
  })
  return task
}

/** True if the task still runs. A task stops running when its node goes away. */
const isRunning = (world: World, { upid }: Task) =>
  world.tasks.findLast((task) => task.upid === upid)?.status === 'running'

/**
 * Returns the failure of a task; undefined if the task succeeds. `afterMs`: time until it fails; `held`: true if the task holds the guest until
 * then.
 */
function failureOf(guest: SimGuest, kind: Kind): { afterMs: number; exitStatus: string; held: boolean } | undefined {
  const { vmid, type, status, lock } = guest
  const word = type === 'vm' ? 'VM' : 'CT'
  if (guest.isHeld) {
    const file = type === 'vm' ? `/var/lock/qemu-server/lock-${vmid}.conf` : `/run/lock/lxc/pve-config-${vmid}.lock`
    return { afterMs: lockWaitMs, exitStatus: `can't lock file '${file}' - got timeout`, held: false }
  }
  if (guest.nextTaskFails !== undefined) {
    const exitStatus = guest.nextTaskFails
    guest.nextTaskFails = undefined
    return { afterMs: durationMs[kind][type], exitStatus, held: true }
  }
  if (lock !== undefined && !(type === 'ct' && kind === 'reboot')) {
    return { afterMs: 500, exitStatus: `${word} is locked (${lock})`, held: false }
  }
  if (kind === 'start' && status !== 'stopped') {
    return { afterMs: 500, exitStatus: `${word} ${vmid} already running`, held: false }
  }
  const isClean = kind === 'shutdown' || kind === 'reboot'
  if (isClean && status !== 'stopped' && guest.nextShutdownTimesOut) {
    guest.nextShutdownTimesOut = false
    const exitStatus = type === 'vm' ? 'VM quit/powerdown failed - got timeout' : 'container did not stop'
    return { afterMs: shutdownPatienceMs, exitStatus, held: true }
  }
  return undefined
}

function typeName(kind: Kind, type: Guest['type']): string {
  return kind.startsWith('ha') ? kind : `${type === 'vm' ? 'qm' : 'vz'}${kind}`
}

/** Starts a guest, which ends its faults. */
export function bootGuest(world: World, guest: SimGuest) {
  guest.status = 'running'
  guest.isHeld = false
  guest.startedAt = world.clock.now()
  guest.isHot = false
  guest.cpuRatio = guest.usual.cpuRatio
}

async function followed(world: World, { upid, node }: Task, signal: AbortSignal): Promise<Task> {
  for (;;) {
    if (world.nodes.get(node)?.offlineSince !== undefined) {
      throw new JarvisError(
        'cluster_unreachable',
        `${node} went offline during the task: look at the guest again later.`,
      )
    }
    const task = world.tasks.findLast((entry) => entry.upid === upid)
    if (task !== undefined && task.status !== 'running') return task
    await world.wait(pollMs, signal)
  }
}
