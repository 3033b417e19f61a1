import { useLayoutEffect, useRef } from 'react'

/** A button that reads earlier entries. It keeps the focus while it reads. When no earlier entries are left, the conversation gets the focus. */
export function EarlierButton({ isLoading, onLoad }: { isLoading: boolean; onLoad: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const element = button.current
    return () => {
      if (element !== null && element === document.activeElement)
        element.closest<HTMLElement>('.scroll')?.focus({ preventScroll: true })
    }
  }, [])
  return (
    // Not `disabled`: a disabled button would lose the focus.
    <button
      ref={button}
      type="button"
      className="button small quiet earlier"
      aria-disabled={isLoading}
      onClick={() => {
        if (!isLoading) onLoad()
      }}
    >
      {isLoading ? 'Reading earlier entries' : 'Show earlier entries'}
    </button>
  )
}
