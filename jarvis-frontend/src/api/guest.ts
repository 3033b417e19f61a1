import type { GuestReply, SnapshotConfigReply } from 'protocol'
import { call } from './http.ts'

/**
 * Reads a guest's configuration, snapshots, backups and the rest beside its live state. @throws ApiError `not_found` if the cluster has no such
 * guest now
 */
export const readGuest = (vmid: number) => call<GuestReply>('GET', `/api/guests/${vmid}`)
/** Reads the configuration that a snapshot would bring back. @throws ApiError `not_found` if the snapshot is gone */
export const readSnapshotConfig = (vmid: number, name: string) =>
  call<SnapshotConfigReply>('GET', `/api/guests/${vmid}/snapshots/${encodeURIComponent(name)}`)
