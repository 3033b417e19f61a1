import { useValue } from '../lib/use-value.ts'
import { useNow } from '../ui/use-now.ts'
import { visibleText } from '../ui/visible.ts'
import { holdDeletes, undoDelete } from './delete-soon.ts'
import { deleting } from './deleting.ts'
import './undo-delete.css'

/** What was deleted a moment ago, and can be taken back. */
export function UndoDelete() {
  const sessions = useValue(deleting)
  const now = useNow(1_000)
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
          <button type="button" className="button small" onClick={() => undoDelete(id)}>
            Undo
          </button>
        </p>
      ))}
    </section>
  )
}
