import { useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { undoWrite } from '../../api/memory.ts'
import { keep } from '../../lib/keep.ts'
import { useValue } from '../../lib/use-value.ts'
import { Link } from '../../ui/link.tsx'
import { visibleText } from '../../ui/visible.ts'
import './recalled.css'

/** Undoes a write to the memory, once. A file that has changed since is not touched. */
export function UndoWrite({ writeId, path }: { writeId: string; path: string }) {
  const isOperator = useValue(signedIn)?.role === 'operator'
  const [said, setSaid] = useState(keep.get(`undone.${writeId}`) === undefined ? undefined : 'Taken back.')
  const undo = () =>
    undoWrite(writeId).then(
      () => {
        keep.set(`undone.${writeId}`, '1')
        setSaid('Taken back.')
      },
      (error: Error) => setSaid(`Not taken back: ${error.message}`),
    )
  return (
    <p className="undo">
      <Link to={`/agents/memory?file=${encodeURIComponent(path)}`}>{visibleText(path)}</Link>
      {said !== undefined ? (
        <span role="status">{said}</span>
      ) : (
        isOperator && (
          <button type="button" className="button small" onClick={() => void undo()}>
            Take it back
          </button>
        )
      )}
    </p>
  )
}
