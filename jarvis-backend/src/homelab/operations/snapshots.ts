import type { PveApi, PveAsk } from '../ports.ts'
import { guestPath, type Place } from '../proxmox/guest.ts'
import { record } from './guest-config.ts'

/** `takenAt`: Unix ms. */
export type Snapshot = {
  name: string
  takenAt: number | undefined
  hasRam: boolean
  parent: string | undefined
  description: string
}

/** Oldest first. `parent`: the snapshot that the guest has gone on from. */
export type Snapshots = { items: Snapshot[]; parent: string | undefined }

/** @throws ApiError */
export async function readSnapshots(api: PveApi, place: Place, ask: PveAsk): Promise<Snapshots> {
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
            takenAt: snaptime === undefined ? undefined : Number(snaptime) * 1000,
            hasRam: vmstate === '1',
          },
        ],
  )
  return {
    items: items.sort((a, b) => (a.takenAt ?? 0) - (b.takenAt ?? 0)),
    parent: rows.find(({ name }) => name === 'current')?.parent,
  }
}

/** Whether all its disks can be kept in a snapshot. @throws ApiError */
export async function mayBeSnapshot(api: PveApi, place: Place, ask: PveAsk): Promise<boolean> {
  const { hasFeature } = record(await api.get([...guestPath(place), 'feature'], { feature: 'snapshot' }, ask))
  return hasFeature === '1'
}
