import { Refusal } from '../src/pve-model/refusal.ts'
import type { FakeGuest, FakeTask, World } from './world.ts'

const tookMs = { start: 2_000, shutdown: 4_000, stop: 1_000, reboot: 4_000, reset: 1_000 }
const lockWaitMs = 3_000
const patienceMs = 60_000
/** Time between the shutdown and the start of a VM's reboot, ms. */
const downMs = 1_500
/** Interval at which the HA manager looks for requests, ms. */
const haEveryMs = 5_000
const hex = (value: number) => Math.floor(value).toString(16).toUpperCase().padStart(8, '0')

export type Step = keyof typeof tookMs

/** Answers one power request as Proxmox does. @returns the UPID @throws Refusal */
export function powerStep(world: World, guest: FakeGuest, step: Step): string {
  const { vmid, type, status, hastate } = guest
  const isHa = hastate !== undefined
  if (step === 'start') {
    if (!world.isQuorate()) throw new Refusal(500, 'cluster not ready - no quorum?')
    if (type === 'lxc' && status !== 'stopped' && !isHa) throw new Refusal(500, `CT ${vmid} already running`)
    return isHa ? haTask(world, guest, 'hastart') : worker(world, guest, step)
  }
  if (status === 'paused' && (step === 'shutdown' || step === 'reboot')) {
    throw new Refusal(500, 'VM is paused - cannot shutdown')
  }
  if (status === 'stopped') {
    if (step === 'reboot' || step === 'reset') throw new Refusal(500, `VM ${vmid} not running`)
    if (type === 'lxc') throw new Refusal(500, `CT ${vmid} not running`)
  }
  const isStop = step === 'stop' || step === 'shutdown'
  return isHa && isStop && status !== 'stopped' ? haTask(world, guest, 'hastop') : worker(world, guest, step)
}

/** Starts an HA task. The task ends when the request is queued; the guest changes later, when the manager looks. */
function haTask(world: World, guest: FakeGuest, type: 'hastart' | 'hastop'): string {
  const task = beginTask(world, { node: guest.node, type, id: String(guest.vmid) })
  world.later(1_000, () => endTask(world, task, 'OK'))
  world.later(haEveryMs, () => void worker(world, guest, type === 'hastart' ? 'start' : 'shutdown'))
  return task.upid
}

function worker(world: World, guest: FakeGuest, step: Step): string {
  const { vmid, type } = guest
  const task = beginTask(world, { node: guest.node, type: `${type === 'qemu' ? 'qm' : 'vz'}${step}`, id: String(vmid) })
  const failure = failureOf(guest, step)
  if (failure !== undefined) {
    world.later(failure.afterMs, () => endTask(world, task, failure.words))
    return task.upid
  }
  guest.isHeld = true
  world.later(tookMs[step], () => {
    guest.isHeld = false
    endTask(world, task, 'OK')
    if (step === 'reset') return
    if (step === 'stop' || step === 'shutdown') {
      guest.status = 'stopped'
      return
    }
    if (step === 'reboot' && type === 'qemu') {
      guest.status = 'stopped'
      world.later(downMs, () => startAgain(world, guest))
      return
    }
    boot(world, guest)
  })
  return task.upid
}

/** After the shutdown of a VM's reboot, the node starts the VM by a separate task. */
function startAgain(world: World, guest: FakeGuest) {
  const task = beginTask(world, { node: guest.node, type: 'qmstart', id: String(guest.vmid), by: 'root@pam' })
  guest.isHeld = true
  world.later(tookMs.start, () => {
    guest.isHeld = false
    const failure = guest.failsToStart
    if (failure === undefined) boot(world, guest)
    endTask(world, task, failure ?? 'OK')
  })
}

function boot(world: World, guest: FakeGuest) {
  guest.status = 'running'
  guest.startedAt = world.now()
}

function failureOf(guest: FakeGuest, step: Step): { afterMs: number; words: string } | undefined {
  const { vmid, type, status, lock } = guest
  const isVm = type === 'qemu'
  if (guest.isHeld === true) {
    const file = isVm ? `/var/lock/qemu-server/lock-${vmid}.conf` : `/run/lock/lxc/pve-config-${vmid}.lock`
    return { afterMs: lockWaitMs, words: `can't lock file '${file}' - got timeout` }
  }
  if (lock !== undefined && !(type === 'lxc' && step === 'reboot')) {
    return { afterMs: 300, words: `${isVm ? 'VM' : 'CT'} is locked (${lock})` }
  }
  if (step === 'start' && status !== 'stopped') return { afterMs: 300, words: `VM ${vmid} already running` }
  if ((step === 'shutdown' || step === 'reboot') && status !== 'stopped' && guest.isDeaf === true) {
    guest.isDeaf = false
    return { afterMs: patienceMs, words: isVm ? 'VM quit/powerdown failed - got timeout' : 'container did not stop' }
  }
  return undefined
}

export function beginTask(
  world: World,
  { node, type, id, by }: { node: string; type: string; id: string; by?: string },
): FakeTask {
  const starttime = Math.floor(world.now() / 1000)
  const [token = ''] = world.options.token.split('=')
  const user = by ?? token
  const upid = `UPID:${node}:${hex(1_000 + Math.random() * 1e6)}:${hex(Math.random() * 2 ** 31)}:${hex(starttime)}:${type}:${id}:${user}:`
  const task: FakeTask = { upid, node, type, id, user, starttime }
  world.tasks.unshift(task)
  return task
}

export function endTask(world: World, task: FakeTask, exitstatus: string) {
  if (task.exitstatus !== undefined) return
  task.endtime = Math.floor(world.now() / 1000)
  task.exitstatus = exitstatus
}
