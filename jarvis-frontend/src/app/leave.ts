import { signOut } from '../api/auth.ts'
import { keep } from '../lib/keep.ts'

/** Signs out, and ends the push messages to this browser. */
export async function leave(): Promise<void> {
  const device = keep.get('push')
  if (device !== undefined) {
    const { turnOff } = await import('../features/settings/push.ts')
    // Sign out of this browser even if the server or the push service does not answer.
    await turnOff(device).catch(() => undefined)
  }
  await signOut()
}
