import type { GuestReply, SnapshotConfigReply } from 'protocol'
import { call } from './http.ts'

/** What is read of one guest beside its live state. @throws ApiError `not_found` where the cluster has none now */
export const readGuest = (vmid: number) => call<GuestReply>('GET', `/api/guests/${vmid}`)
/** What a snapshot would bring back. @throws ApiError `not_found` where it is not there any more */
export const readSnapshotConfig = (vmid: number, name: string) =>
  call<SnapshotConfigReply>('GET', `/api/guests/${vmid}/snapshots/${encodeURIComponent(name)}`)
