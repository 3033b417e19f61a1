import { useLayoutEffect, useRef } from 'react'
import './over.css'
import { overlay } from './overlay.ts'

const away = () => overlay.set(undefined)

/** Lies over the page, keeps the focus inside and gives it back. */
export function Over(props: { label: string; onClose?: () => void; children: React.ReactNode }) {
  const { label, onClose = away, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  // Closed before it is taken away: the focus goes back to where it was.
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
      // `close` is told late: until then this one would still have the keys.
      onCancel={onClose}
      // By then another may lie where this one lay, or it may lie there again.
      onClose={() => dialog.current?.open === false && onClose()}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      {children}
    </dialog>
  )
}
