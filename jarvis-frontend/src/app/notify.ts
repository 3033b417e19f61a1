import { keep } from '../lib/keep.ts'

/** What the browser lets us do. `absent`: no such thing here, as on plain-http addresses. */
export const notifyState = (): NotificationPermission | 'absent' =>
  'Notification' in window && isSecureContext ? Notification.permission : 'absent'

/** Says that a card waits, where nobody looks at the page. Its only act is to open it: nothing is approved from here. */
export function notify(sentence: string, id: string): void {
  if (keep.get('notify') !== 'on' || notifyState() !== 'granted' || document.hasFocus()) return
  const note = new Notification('JARVIS asks', { body: sentence, tag: id, icon: '/icon.svg' })
  note.onclick = () => {
    window.focus()
    note.close()
  }
}
