import { type Config, fullConfig } from './guests/files.ts'
import type { HostBackup, HostGuest, HostStorage, PveType } from './host.ts'
import type { Model } from './model.ts'
import { Refusal } from './refusal.ts'

/** The content of a backup. The host stores only its listing. */
export type Archive = { type: PveType; config: Config; isProtected: boolean; notes: string }

const newArchive = (type: PveType, config: Config, notes = ''): Archive => ({ type, config, isProtected: false, notes })

/** A guest's configuration as a backup stores it: without lock and snapshots. */
export function archivedConfig({ files }: Pick<Model, 'files'>, guest: HostGuest): Config {
  const { lock: _, parent: __, ...config } = fullConfig(guest, files.of(guest))
  return config
}

/** Creates the content of backups that were made before the model started: the guests as they were at the start. */
export function firstArchives(model: Pick<Model, 'files' | 'host'>): Map<string, Archive> {
  const known = model.host.backups().flatMap(({ volid, vmid, notes }): [string, Archive][] => {
    const guest = model.host.guest(vmid)
    return guest === undefined ? [] : [[volid, newArchive(guest.type, archivedConfig(model, guest), notes)]]
  })
  return new Map(known)
}

export type Backup = HostBackup & Archive

/** Finds a backup. @throws Refusal if there is no such backup, or the node cannot read it now */
export function backupNamed({ host, archives }: Model, node: string, volid: string): Backup {
  const backup = host.backups().find((candidate) => candidate.volid === volid)
  const archive = archives.get(volid)
  if (backup === undefined || archive === undefined || !host.isActive(backup.storage, node)) {
    throw new Refusal(500, `volume '${volid}' does not exist`)
  }
  return { ...backup, ...archive }
}

/** Returns the volume id that Proxmox gives a new backup. @param at Unix seconds */
export function nameOf(storage: NewBackup['storage'], { type, vmid }: HostGuest, at: number): string {
  const iso = new Date(at * 1000).toISOString().slice(0, 19)
  if (storage.type === 'pbs') return `${storage.name}:backup/${type === 'qemu' ? 'vm' : 'ct'}/${vmid}/${iso}Z`
  const stamp = iso.replaceAll('-', '_').replace('T', '-').replaceAll(':', '_')
  return `${storage.name}:backup/vzdump-${type}-${vmid}-${stamp}.${type === 'qemu' ? 'vma' : 'tar'}.zst`
}

/** Number of backups of a guest that a storage keeps when a backup prunes. */
const keeps = 3

/** A backup to make. `isPruning`: older unprotected backups of the guest on the storage are removed. */
type NewBackup = {
  storage: Pick<HostStorage, 'name' | 'type'>
  isPruning: boolean
  isProtected: boolean
  notes: string
}

/** Adds a backup. @returns its volume id */
export function addBackup(model: Model, guest: HostGuest, wanted: NewBackup): string {
  const { host, archives } = model
  const { storage, isPruning, isProtected } = wanted
  const ctime = Math.floor(host.now() / 1000)
  const volid = nameOf(storage, guest, ctime)
  const format =
    storage.type === 'pbs' ? `pbs-${guest.type === 'qemu' ? 'vm' : 'ct'}` : volid.split('.').slice(-2).join('.')
  const notes = wanted.notes.replaceAll('{{guestname}}', guest.name)
  const sizeBytes = Math.round(guest.diskBytes * 0.2)
  archives.set(volid, { ...newArchive(guest.type, archivedConfig(model, guest), notes), isProtected })
  const about = { vmid: guest.vmid, storage: storage.name, node: guest.node, ctime, sizeBytes, format, notes }
  host.addBackup({ volid, ...about })
  host.useStorage(storage.name, guest.node, sizeBytes)
  if (isPruning) {
    const older = host
      .backups()
      .filter(
        (one) =>
          one.vmid === guest.vmid && one.storage === storage.name && archives.get(one.volid)?.isProtected !== true,
      )
    for (const { volid: old } of older.sort((a, b) => b.ctime - a.ctime).slice(keeps))
      removeBackup(model, guest.node, old)
  }
  return volid
}

export function removeBackup(model: Model, node: string, volid: string) {
  const gone = backupNamed(model, node, volid)
  model.host.removeBackup(gone.volid)
  model.host.useStorage(gone.storage, node, -gone.sizeBytes)
  model.archives.delete(gone.volid)
}
