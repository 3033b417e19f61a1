import type { HostGuest } from '../host.ts'
import type { Model } from '../model.ts'
import { Refusal } from '../refusal.ts'

const lockWaitMs = 3_000
const refusedMs = 300

export type Work = {
  node: string
  /** As the UPID names it: `qmsnapshot`. */
  type: string
  vmid: number
  /** Of the cluster's time. */
  ms: number
  /** Stands in the guest's configuration meanwhile; without one, a lock file that nobody sees. */
  lock?: string
  /** Before anything is done. @throws Refusal, with which the task ends */
  check?(guest: HostGuest | undefined): void
  /** @throws Refusal, with which the task ends */
  finish(say: (line: string) => void): void
  /** Tidies up, as Proxmox does where the task failed once it was under way. */
  failed?(): void
}

export const wordOf = ({ type }: Pick<HostGuest, 'type'>) => (type === 'qemu' ? 'VM' : 'CT')

/** @throws Refusal as everything does that a lock in the configuration keeps off. */
export function mustBeFree(guest: HostGuest) {
  if (guest.lock !== undefined) throw new Refusal(500, `${wordOf(guest)} is locked (${guest.lock})`)
}

/** Begins a task about a guest, which it keeps to itself meanwhile. @returns the UPID */
export function work(model: Model, { node, type, vmid, ms, lock, check, finish, failed }: Work): string {
  const { host, faults, logs } = model
  const upid = host.beginTask(node, type, String(vmid))
  const lines: string[] = []
  logs.set(upid, lines)
  const say = (line: string) => void lines.push(line)
  const end = (exitStatus: string) => {
    say(exitStatus === 'OK' ? 'TASK OK' : `TASK ERROR: ${exitStatus}`)
    host.endTask(upid, exitStatus)
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
  } catch (error) {
    endIn(refusedMs, wordsOf(error))
    return upid
  }
  const failure = faults.failNext.get(vmid)
  faults.failNext.delete(vmid)
  if (guest !== undefined) host.changeGuest(vmid, lock === undefined ? { isHeld: true } : { lock })
  host.later(ms + faults.lateMs, () => {
    // Its node went away: what was locked stays so.
    if (host.tasks().find((task) => task.upid === upid)?.exitStatus !== undefined) return
    if (guest !== undefined && host.guest(vmid) !== undefined) {
      host.changeGuest(vmid, lock === undefined ? { isHeld: false } : { lock: undefined })
    }
    try {
      if (failure !== undefined) throw new Refusal(500, failure)
      finish(say)
      end('OK')
    } catch (error) {
      failed?.()
      end(wordsOf(error))
    }
  })
  return upid
}

function wordsOf(error: unknown): string {
  if (error instanceof Refusal) return error.message
  throw error
}
