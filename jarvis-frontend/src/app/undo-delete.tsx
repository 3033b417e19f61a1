import { useEffect, useRef } from 'react'
import { useValue } from '../lib/use-value.ts'
import { useNow } from '../ui/use-now.ts'
import { visibleText } from '../ui/visible.ts'
import { holdDeletes, undoDelete } from './delete-soon.ts'
import { deleting } from './deleting.ts'
import './undo-delete.css'

/** Lists deletions that can still be undone. */
export function UndoDelete() {
  const sessions = useValue(deleting).filter(({ isSent }) => !isSent)
  const now = useNow(1_000)
  const newest = useRef<HTMLButtonElement>(null)
  const from = sessions.at(-1)?.from
  // The focused element disappears with its session. Move the focus to Undo, unless a list has already moved it.
  useEffect(() => {
    const active = document.activeElement
    if (from !== undefined && (active === from || active === document.body)) newest.current?.focus()
  }, [from])
  return (
    <section
      className="undo-delete"
      aria-label="Deleted"
      onPointerEnter={() => holdDeletes(true)}
      onPointerLeave={() => holdDeletes(false)}
      onFocus={() => holdDeletes(true)}
      onBlur={() => holdDeletes(false)}
    >
      {sessions.map(({ id, title, versions, until }) => (
        <p key={id}>
          <span className="cut">
            Deleted “{visibleText(title)}”{versions.length > 0 && ' with all its versions'}
          </span>
          <span className="num text-dim" role="timer" aria-live="off">
            {Math.max(0, Math.ceil((until - now) / 1_000))} s
          </span>
          <button
            ref={newest}
            type="button"
            className="button small"
            onClick={() => {
              undoDelete(id)
              document.getElementById('composer')?.focus()
            }}
          >
            Undo
          </button>
        </p>
      ))}
    </section>
  )
}
