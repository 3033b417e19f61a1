import type { GuestReply, SnapshotConfigReply } from 'protocol'
import { call } from './http.ts'

/**
 * Reads a guest's live state, configuration, snapshots, backups and the rest of its details. @throws ApiError `not_found` if the cluster has no such
 * guest now
 */
export const readGuest = (vmid: number) => call<GuestReply>('GET', `/api/guests/${vmid}`)
/** Reads the configuration that a rollback to a snapshot would restore. @throws ApiError `not_found` if the snapshot does not exist */
export const readSnapshotConfig = (vmid: number, name: string) =>
  call<SnapshotConfigReply>('GET', `/api/guests/${vmid}/snapshots/${encodeURIComponent(name)}`)
