import { addDevice, removeDevice } from '../../api/push.ts'
import { forgetDeviceKey, makeDeviceKey } from '../../lib/device-key.ts'
import { keep } from '../../lib/keep.ts'
import { scriptUrl } from '../../lib/trusted.ts'

/** `can`: this browser can receive push messages while no page is open. The other values are the reason why it cannot. */
export type PushAbility = 'can' | 'insecure' | 'absent' | 'denied'

export function pushAbility(): PushAbility {
  if (!isSecureContext) return 'insecure'
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)) return 'absent'
  return Notification.permission === 'denied' ? 'denied' : 'can'
}

/** The id of this browser on the server; undefined if it has no push subscription. */
export const ownDevice = (): string | undefined => keep.get('push')

/**
 * Subscribes this browser and registers it on the server.
 * @param decides true: its notifications can decide light cards, and a key for this is created
 * @throws Error with a sentence for a person
 */
export async function turnOn(publicKey: string, hidesNames: boolean, decides: boolean): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error('The browser was not allowed to.')
  await navigator.serviceWorker.register(scriptUrl('/sw.js'))
  const registration = await navigator.serviceWorker.ready
  let subscription: PushSubscription
  try {
    // A subscription made with another key would receive no messages.
    await (await registration.pushManager.getSubscription())?.unsubscribe()
    subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`The browser’s push service did not take it (${why}). Does this device reach the internet?`)
  }
  const { endpoint, keys } = subscription.toJSON()
  const key = decides ? await makeDeviceKey() : undefined
  if (key === undefined) await forgetDeviceKey()
  const before = ownDevice()
  const { id } = await addDevice({
    endpoint: endpoint ?? '',
    keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' },
    label: deviceName(navigator.userAgent),
    hidesNames,
    key,
  })
  keep.set('push', id)
  // The previous subscription no longer exists.
  if (before !== undefined && before !== id) await removeDevice(before).catch(() => undefined)
}

export async function turnOff(id: string): Promise<void> {
  if (id === ownDevice()) {
    const registration = await navigator.serviceWorker.getRegistration('/')
    await (await registration?.pushManager.getSubscription())?.unsubscribe()
    keep.set('push', undefined)
    await forgetDeviceKey()
  }
  await removeDevice(id)
}

const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS', 'Mac'],
  ['Linux', 'Linux'],
] as const

/** Returns a device's name for people: `Chrome on Android`. */
export function deviceName(agent: string): string {
  const first = (table: readonly (readonly [string, string])[]) => table.find(([word]) => agent.includes(word))?.[1]
  return `${first(browsers) ?? 'A browser'} on ${first(systems) ?? 'a device'}`
}
