import type { PushBody, PushDevice, PushReply } from 'protocol'
import { call } from './http.ts'

const path = (id: string) => `/api/push/${encodeURIComponent(id)}`

export const readPush = () => call<PushReply>('GET', '/api/push')
export const addDevice = (body: PushBody) => call<PushDevice>('POST', '/api/push', body)
export const removeDevice = (id: string) => call('DELETE', path(id))
/** Tells the server that this browser was seen, and its push subscription, or null if it has none any more. */
export async function seenHere(id: string) {
  const registration = await navigator.serviceWorker?.getRegistration('/')
  const subscription = await registration?.pushManager?.getSubscription()
  return call('POST', `${path(id)}/seen`, { endpoint: subscription?.endpoint ?? null })
}
export const testDevice = (id: string) => call<PushDevice>('POST', `${path(id)}/test`)
