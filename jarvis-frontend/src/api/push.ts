import type { PushBody, PushDevice, PushReply } from 'protocol'
import { call } from './http.ts'

const path = (id: string) => `/api/push/${encodeURIComponent(id)}`

export const readPush = () => call<PushReply>('GET', '/api/push')
export const addDevice = (body: PushBody) => call<PushDevice>('POST', '/api/push', body)
export const removeDevice = (id: string) => call('DELETE', path(id))
/** Says that this browser is here, and whether it has its subscription still. */
export async function seenHere(id: string) {
  const registration = await navigator.serviceWorker?.getRegistration('/')
  const subscription = await registration?.pushManager?.getSubscription()
  return call('POST', `${path(id)}/seen`, { endpoint: subscription?.endpoint ?? null })
}
export const testDevice = (id: string) => call<PushDevice>('POST', `${path(id)}/test`)
