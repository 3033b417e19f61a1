import { signOut } from '../api/auth.ts'
import { keep } from '../lib/keep.ts'

/** Signs out, and takes back what this browser is told while no page is open. */
export async function leave(): Promise<void> {
  const device = keep.get('push')
  if (device !== undefined) {
    const { turnOff } = await import('../features/settings/push.ts')
    // Without a server, or a browser that lets go, it is at least signed out here.
    await turnOff(device).catch(() => undefined)
  }
  await signOut()
}
