import { keep } from '../lib/keep.ts'

/** The browser's permission for notifications. `absent`: it has none, as on plain-http addresses. */
export const notifyState = (): NotificationPermission | 'absent' =>
  'Notification' in window && isSecureContext ? Notification.permission : 'absent'

/**
 * Says that a card or a question waits, where nobody looks at the page. Its only act is to open the page: nothing is approved from here.
 * A push message of the same card takes its place, or it the message's.
 * @param path of the page that it opens; absent: the card's
 */
export async function notify(
  sentence: string,
  id: string,
  path = `/waiting?card=${encodeURIComponent(id)}`,
): Promise<void> {
  if (keep.get('notify') !== 'on' || notifyState() !== 'granted' || document.hasFocus()) return
  const options = { body: sentence, tag: id, icon: '/icon-192.png' }
  const worker = await navigator.serviceWorker?.getRegistration('/')
  if (worker !== undefined) {
    await worker.showNotification('JARVIS asks', { ...options, data: { path } })
    return
  }
  try {
    const note = new Notification('JARVIS asks', options)
    note.onclick = () => {
      window.focus()
      note.close()
    }
  } catch {
    // Phones show notifications of service workers only; the settings turn those on.
  }
}

/** Removes the worker's notification of a card that no longer waits. A notification that the page itself shows stays. */
export async function withdrawNote(id: string): Promise<void> {
  const { serviceWorker } = navigator as Partial<Navigator>
  const worker = await serviceWorker?.getRegistration('/')
  for (const note of (await worker?.getNotifications({ tag: id })) ?? []) note.close()
}

/** Opens the address that the worker of a pressed notification names, until the signal aborts. */
export function followNotes(open: (path: string) => void, signal: AbortSignal): void {
  const go = ({ data }: MessageEvent<{ open?: string }>) => {
    if (data.open?.startsWith('/') === true) open(data.open)
  }
  // Absent on plain-http addresses.
  const { serviceWorker } = navigator as Partial<Navigator>
  serviceWorker?.addEventListener('message', go, { signal })
  serviceWorker?.startMessages()
}
