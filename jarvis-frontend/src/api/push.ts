import type { Body } from 'protocol/client'
import { call } from './http.ts'

export const readPush = () => call('GET /api/push')
export const addDevice = (body: Body<'POST /api/push'>) => call('POST /api/push', { body })
export const removeDevice = (id: string) => call('DELETE /api/push/:id', { params: { id } })
/** Tells the server that this browser was seen, and its push subscription, or null if it has none any more. */
export async function seenHere(id: string) {
  const registration = await navigator.serviceWorker?.getRegistration('/')
  const subscription = await registration?.pushManager?.getSubscription()
  return call('POST /api/push/:id/seen', { params: { id }, body: { endpoint: subscription?.endpoint ?? null } })
}
export const testDevice = (id: string) => call('POST /api/push/:id/test', { params: { id } })
