import type { Alternative } from 'protocol'
import { useEffect, useRef, useState } from 'react'
import { sends, useEnterHint } from '../../ui/enter.ts'
import { Mark } from '../../ui/mark.tsx'
import { alternativeOf } from './alternative.ts'

type Props = {
  /** Why no decision is possible now; undefined if one is. It replaces the buttons, and what was typed stays. */
  rest: React.ReactNode
  note: string
  onNote: (note: string) => void
  /** True if the person may propose another call instead of the denied one. */
  mayNameOther: boolean
  onDeny: (alternative: Alternative | undefined) => void
  onBack: () => void
}

/** Denies a call, with an optional note for the model and an optional alternative call. */
export function DenyForm({ rest, note, onNote, mayNameOther, onDeny, onBack }: Props) {
  const noteField = useRef<HTMLTextAreaElement>(null)
  const otherField = useRef<HTMLInputElement>(null)
  const [other, setOther] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const isOther = other !== undefined
  const enterHint = useEnterHint()
  useEffect(() => noteField.current?.focus(), [])
  useEffect(() => {
    if (isOther) otherField.current?.focus()
  }, [isOther])
  const deny = () => {
    if (rest !== undefined) return
    if (other === undefined) {
      onDeny(undefined)
      return
    }
    const read = alternativeOf(other)
    if ('problem' in read) setProblem(read.problem)
    else onDeny(read)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        deny()
      }}
    >
      <textarea
        ref={noteField}
        className="field note"
        rows={1}
        maxLength={2_000}
        value={note}
        aria-label="Why not"
        enterKeyHint={enterHint}
        placeholder="Why not? The model reads this. It may stay empty."
        onChange={(event) => onNote(event.target.value)}
        onKeyDown={(event) => {
          if (!sends(event)) return
          event.preventDefault()
          deny()
        }}
      />
      {isOther && (
        <label className="typed other-call">
          <span>A call of yours instead. It is judged as one that you type.</span>
          <input
            ref={otherField}
            className="field mono"
            autoComplete="off"
            spellCheck={false}
            placeholder={'get_node_status {"node": "pve"}'}
            value={other}
            onChange={(event) => {
              setOther(event.target.value)
              setProblem(undefined)
            }}
          />
        </label>
      )}
      {problem !== undefined && (
        <p className="refused" role="alert">
          <Mark kind="bad" />
          {problem}
        </p>
      )}
      {rest ?? (
        <footer>
          <button type="submit" className="button solid">
            {isOther ? 'Deny and run mine' : 'Deny and say so'}
          </button>
          {mayNameOther && !isOther && (
            <button type="button" className="button quiet" onClick={() => setOther('')}>
              Another call instead…
            </button>
          )}
          <button type="button" className="button quiet" onClick={onBack}>
            Back
          </button>
        </footer>
      )}
    </form>
  )
}
