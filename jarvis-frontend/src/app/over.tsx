import { useLayoutEffect, useRef } from 'react'
import './over.css'
import { overlay } from './overlay.ts'

const away = () => overlay.set(undefined)

/** A modal dialog. It keeps the focus inside and gives it back when it closes. */
export function Over(props: { label: string; onClose?: () => void; children: React.ReactNode }) {
  const { label, onClose = away, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  // Close the dialog before its removal, so that the browser returns the focus.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it, as it does every dialog
    <dialog
      ref={dialog}
      className="over"
      aria-label={label}
      // The `close` event comes late, and until then the dialog would still handle keys. So close on `cancel` already.
      onCancel={onClose}
      // The event comes late: another dialog, or this one again, may be open by then.
      onClose={() => dialog.current?.open === false && onClose()}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      {children}
    </dialog>
  )
}
