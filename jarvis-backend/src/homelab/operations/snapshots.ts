import type { PveAsk, PveReader } from 'homelab-ports/ports'
import { guestPath, type Place } from '../pve/guest.ts'
import { record } from './guest-config.ts'

/** `takenAt`: Unix ms. */
export type Snapshot = {
  name: string
  takenAt: number | undefined
  hasRam: boolean
  parent: string | undefined
  description: string
}

/** The snapshots, oldest first. `parent`: the snapshot that the guest's present state descends from. */
export type Snapshots = { items: Snapshot[]; parent: string | undefined }

/** @throws ApiError */
export async function readSnapshots(api: PveReader, place: Place, ask: PveAsk): Promise<Snapshots> {
  const answer = await api.get([...guestPath(place), 'snapshot'], {}, ask)
  const rows = (Array.isArray(answer) ? answer : []).map(record)
  const items = rows.flatMap(({ name, snaptime, vmstate, parent, description = '' }): Snapshot[] =>
    name === undefined || name === 'current'
      ? []
      : [
          {
            name,
            parent,
            description: description.trim(),
            takenAt: Number(snaptime) > 0 ? Number(snaptime) * 1000 : undefined,
            hasRam: vmstate === '1',
          },
        ],
  )
  return {
    items: items.sort((a, b) => (a.takenAt ?? 0) - (b.takenAt ?? 0)),
    parent: rows.find(({ name }) => name === 'current')?.parent,
  }
}

/** Keys that describe the snapshot itself, not the guest, in the snapshot's section of the configuration file. */
const own = new Set(['digest', 'snaptime', 'parent', 'vmstate', 'snapstate', 'runningmachine', 'runningcpu'])

/** Reads the configuration that a snapshot would restore, with Proxmox's keys. @throws ApiError if there is no snapshot of this name */
export async function readSnapshotConfig(
  api: PveReader,
  { place, name }: { place: Place; name: string },
  ask: PveAsk,
): Promise<Record<string, string>> {
  const values = record(await api.get([...guestPath(place), 'config'], { snapshot: name }, ask))
  return Object.fromEntries(Object.entries(values).filter(([key]) => !own.has(key)))
}

/** True if the storages of all the guest's disks can make a snapshot. @throws ApiError */
export async function mayBeSnapshot(api: PveReader, place: Place, ask: PveAsk): Promise<boolean> {
  const { hasFeature } = record(await api.get([...guestPath(place), 'feature'], { feature: 'snapshot' }, ask))
  return hasFeature === '1'
}
