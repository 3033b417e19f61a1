import { useLayoutEffect, useRef } from 'react'
import './over.css'
import { overlay } from './overlay.ts'

const away = () => overlay.set(undefined)

/** A dialog over the page. It keeps the focus inside and returns it at the end. */
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
      // The `close` event comes late; until then the overlay would still take the keys.
      onCancel={onClose}
      // By then another overlay may be open, or this one again.
      onClose={() => dialog.current?.open === false && onClose()}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      {children}
    </dialog>
  )
}
