import type { Backup, Task } from 'protocol'
import { hourMs, neverBackedUp, onBackupServer } from './demo-lab.ts'
import { statusFor, upidOf } from './tasks.ts'
import type { SimGuest, World } from './world.ts'

const minuteMs = 60_000
const noServer =
  "could not activate storage 'pbs-main': pbs-main: error fetching datastores - 500 Can't connect to 10.0.4.24:8007 (No route to host)"

/** Creates the tasks and backups of the last days: one node lost power in the night, so half of the backups failed. */
export function writeHistory(world: World) {
  const tasks: Task[] = []
  const past = (
    when: { agoMs: number; tookMs: number },
    task: { node: string; type: string; id?: string },
    exitStatus = 'OK',
  ) => {
    const { node, type, id = '' } = task
    const startedAt = Math.floor(world.startedAt - when.agoMs)
    const vmid = /^\d+$/.test(id) ? { vmid: Number(id) } : {}
    const ended = { endedAt: startedAt + when.tookMs, status: statusFor(exitStatus), exitStatus, user: 'root@pam' }
    tasks.push({ upid: upidOf(world, { node, type, id, startedAt }), node, type, ...vmid, startedAt, ...ended })
  }

  let toNas = 0
  let toServer = 0
  for (const guest of world.guests.values()) {
    if (neverBackedUp.has(guest.vmid)) continue
    const id = String(guest.vmid)
    if (onBackupServer.has(guest.vmid)) {
      const afterMs = toServer++ * 3_000
      past({ agoMs: 6.75 * hourMs - afterMs, tookMs: 2_000 }, { node: guest.node, type: 'vzdump', id }, noServer)
      past({ agoMs: 31.2 * hourMs - afterMs * 15, tookMs: 43_000 }, { node: guest.node, type: 'vzdump', id })
      addBackups(world, guest, { agoMs: 31.2 * hourMs - afterMs * 15, storage: 'pbs-main' })
    } else {
      const afterMs = toNas++ * 48_000
      for (const nights of [0, 1])
        past(
          { agoMs: (7.2 + nights * 24) * hourMs - afterMs, tookMs: 46_000 },
          { node: guest.node, type: 'vzdump', id },
        )
      addBackups(world, guest, { agoMs: 7.2 * hourMs - afterMs, storage: 'tank-nfs' })
    }
  }
  past({ agoMs: 50_000, tookMs: 6_000 }, { node: 'agent', type: 'vzstart', id: '140' })
  past({ agoMs: 52_000, tookMs: 9_000 }, { node: 'agent', type: 'startall' })
  for (const node of world.nodes.keys()) past({ agoMs: 11 * hourMs, tookMs: 21_000 }, { node, type: 'aptupdate' })
  past({ agoMs: 26 * hourMs, tookMs: 3_000 }, { node: 'Home', type: 'srvreload', id: 'pveproxy' })
  past({ agoMs: 5 * 24 * hourMs, tookMs: 9_000 }, { node: 'pve', type: 'vzreboot', id: '122' })
  past({ agoMs: 8.17 * 24 * hourMs, tookMs: 14_000 }, { node: 'pve', type: 'qmreboot', id: '123' })
  past({ agoMs: 12 * 24 * hourMs, tookMs: 7 * minuteMs }, { node: 'Home', type: 'vzmigrate', id: '112' })

  world.tasks.push(...tasks.sort((a, b) => a.startedAt - b.startedAt))
}

/** Returns the verification of a backup. The newest night came after the last verification run; one backup has a broken chunk. */
function verificationOf(vmid: number, night: number): NonNullable<Backup['verification']> {
  if (night === 0) return 'none'
  return vmid === 122 && night === 1 ? 'failed' : 'ok'
}

/** Adds backups of three nights, the newest `agoMs` before the start. */
function addBackups(world: World, guest: SimGuest, { agoMs, storage }: { agoMs: number; storage: string }) {
  for (const night of [2, 1, 0]) {
    const createdAt = Math.floor((world.startedAt - agoMs - night * 24 * hourMs) / 1000) * 1000
    const isServer = storage === 'pbs-main'
    const backup: Backup = {
      volumeId: isServer ? serverVolume(guest, createdAt) : fileVolume(storage, guest, createdAt),
      vmid: guest.vmid,
      storage,
      node: guest.node,
      createdAt,
      sizeBytes: Math.round(guest.diskRatio * guest.diskTotalBytes * 0.42),
      notes: guest.name,
      format: isServer ? `pbs-${guest.type}` : guest.type === 'vm' ? 'vma.zst' : 'tar.zst',
      ...(isServer && { verification: verificationOf(guest.vmid, night) }),
    }
    world.backups.push(backup)
    guest.backupAt = createdAt
  }
}

const serverVolume = ({ type, vmid }: SimGuest, at: number) =>
  `pbs-main:backup/${type}/${vmid}/${new Date(at).toISOString().replace('.000Z', 'Z')}`

function fileVolume(storage: string, { type, vmid }: SimGuest, at: number): string {
  const stamp = new Date(at).toISOString().slice(0, 19).replaceAll('-', '_').replace('T', '-').replaceAll(':', '_')
  return `${storage}:backup/vzdump-${type === 'vm' ? 'qemu' : 'lxc'}-${vmid}-${stamp}.${type === 'vm' ? 'vma' : 'tar'}.zst`
}
