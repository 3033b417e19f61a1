import type { HostGuest } from '../host.ts'
import type { Model } from '../model.ts'
import { mustBeWritable } from '../quorum.ts'
import { Refusal } from '../refusal.ts'

const lockWaitMs = 3_000
const refusedMs = 300

export type Work = {
  node: string
  /** The task's type in the UPID, such as `qmsnapshot`. */
  type: string
  vmid: number
  /** Duration of the task, ms of the cluster's time. */
  ms: number
  /** True: every failure ends the task with `job errors`, and only its log gives the reason. */
  isJob?: true
  /** The lock in the guest's configuration during the task. Undefined: only the hidden lock file. */
  lock?: string
  /** Runs before the work. @throws Refusal; the task then ends with it */
  check?(guest: HostGuest | undefined): void
  /** Runs before the configuration is written. Its effects stay even if the write fails. @throws Refusal */
  before?(say: (line: string) => void): void
  /** Writes the configuration. @throws Refusal; the task then ends with it */
  finish(say: (line: string) => void): void
  /** Cleans up after a task that failed midway, like Proxmox does. */
  failed?(): void
}

export const wordOf = ({ type }: Pick<HostGuest, 'type'>) => (type === 'qemu' ? 'VM' : 'CT')

/** @throws Refusal if the guest's configuration has a lock */
export function mustBeFree(guest: HostGuest) {
  if (guest.lock !== undefined) throw new Refusal(500, `${wordOf(guest)} is locked (${guest.lock})`)
}

/** Begins a task about a guest and locks the guest until the task ends. @returns the UPID */
export function work(model: Model, { node, type, vmid, ms, lock, isJob, check, before, finish, failed }: Work): string {
  const { host, faults, logs } = model
  const upid = host.beginTask(node, type, String(vmid))
  const lines: string[] = []
  logs.set(upid, lines)
  const say = (line: string) => void lines.push(line)
  const end = (exitStatus: string) => {
    const isHidden = isJob === true && exitStatus !== 'OK'
    if (isHidden) say(`ERROR: Backup of VM ${vmid} failed - ${exitStatus}`)
    const shown = isHidden ? 'job errors' : exitStatus
    say(shown === 'OK' ? 'TASK OK' : `TASK ERROR: ${shown}`)
    host.endTask(upid, shown)
  }
  const endIn = (afterMs: number, exitStatus: string) => host.later(afterMs, () => end(exitStatus))
  const guest = host.guest(vmid)
  if (guest?.isHeld === true) {
    const file =
      guest.type === 'qemu' ? `/var/lock/qemu-server/lock-${vmid}.conf` : `/run/lock/lxc/pve-config-${vmid}.lock`
    endIn(lockWaitMs, `can't lock file '${file}' - got timeout`)
    return upid
  }
  try {
    if (guest !== undefined) mustBeFree(guest)
    check?.(guest)
    if (guest !== undefined && lock !== undefined) mustBeWritable(model, guest)
  } catch (error) {
    endIn(refusedMs, wordsOf(error))
    return upid
  }
  const failure = faults.failNext.get(vmid)
  faults.failNext.delete(vmid)
  if (guest !== undefined) host.changeGuest(vmid, lock === undefined ? { isHeld: true } : { lock })
  host.later(ms + faults.lateMs, () => {
    // The node went away during the task, so the lock stays.
    if (host.tasks().find((task) => task.upid === upid)?.exitStatus !== undefined) return
    if (guest !== undefined && host.guest(vmid) !== undefined) {
      // If the configuration cannot be written, its lock stays.
      if (lock === undefined) host.changeGuest(vmid, { isHeld: false })
      else if (host.isQuorate()) host.changeGuest(vmid, { lock: undefined })
    }
    try {
      if (failure !== undefined) throw new Refusal(500, failure)
      before?.(say)
      mustBeWritable(model, guest ?? { node, vmid, type: type.startsWith('vz') ? 'lxc' : 'qemu' })
      finish(say)
      end('OK')
    } catch (error) {
      // Without a quorum nothing can be written, so the clean-up fails too.
      if (host.isQuorate()) failed?.()
      end(wordsOf(error))
    }
  })
  return upid
}

function wordsOf(error: unknown): string {
  if (error instanceof Refusal) return error.message
  throw error
}
