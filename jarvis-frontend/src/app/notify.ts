import { keep } from '../lib/keep.ts'

/** The browser's permission for notifications. `absent`: the browser offers none, as on plain-http addresses. */
export const notifyState = (): NotificationPermission | 'absent' =>
  'Notification' in window && isSecureContext ? Notification.permission : 'absent'

/**
 * Shows a browser notification that a card or a question waits, if the page does not have the focus. A click only opens the page: nothing can be
 * approved from a notification. The notification and a push message of the same card replace each other.
 * @param path the page to open; default: the card's
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
    // Phones show only notifications of service workers; the settings turn those on.
  }
}

/** Removes the worker's notification of a card that no longer waits. A notification that the page itself shows stays. */
export async function withdrawNote(id: string): Promise<void> {
  const { serviceWorker } = navigator as Partial<Navigator>
  const worker = await serviceWorker?.getRegistration('/')
  for (const note of (await worker?.getNotifications({ tag: id })) ?? []) note.close()
}

/** Opens the path that the service worker sends after a click on a notification, until `signal` aborts. */
export function followNotes(open: (path: string) => void, signal: AbortSignal): void {
  const go = ({ data }: MessageEvent<{ open?: string }>) => {
    if (data.open?.startsWith('/') === true) open(data.open)
  }
  // Undefined on plain-http addresses.
  const { serviceWorker } = navigator as Partial<Navigator>
  serviceWorker?.addEventListener('message', go, { signal })
  serviceWorker?.startMessages()
}
