import type { GuestReply } from 'jarvis-backend/protocol'
import { call } from './http.ts'

/** What is read of one guest beside its live state. @throws ApiError `not_found` where the cluster has none now */
export const readGuest = (vmid: number) => call<GuestReply>('GET', `/api/guests/${vmid}`)
