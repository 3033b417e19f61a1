import { ApiError } from 'protocol/client'
import { useEffect, useRef, useState } from 'react'
import { breakGlass } from '../api/break-glass.ts'
import { Mark } from '../ui/mark.tsx'
import { say } from './announce.tsx'
import './glass.css'

/** Minimum length of the reason, characters. */
const shortest = 10

/** Lets an owner approve a card alone although several people must approve it. The owner must type a reason and give the password again. */
export function BreakGlass({ toolUseId }: { toolUseId: string }) {
  const [isOpen, setOpen] = useState(false)
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isSending, setSending] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (isOpen) field.current?.focus()
  }, [isOpen])
  if (!isOpen)
    return (
      <p className="break-glass">
        <span className="acts">
          <button type="button" className="button small quiet" onClick={() => setOpen(true)}>
            Break the glass…
          </button>
        </span>
      </p>
    )
  const isReason = reason.trim().length >= shortest
  const send = async () => {
    if (!isReason || isSending) return
    setSending(true)
    setProblem(undefined)
    try {
      await breakGlass(toolUseId, reason.trim())
      say('You approved it alone. Everybody is told why.')
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : 'The answer could not be read.')
      setSending(false)
    }
  }
  return (
    <form
      className="break-glass"
      aria-label="Break the glass"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <label>
        Why you approve this alone. Everybody is told, and the journal keeps it.
        <textarea
          ref={field}
          className="field note"
          rows={2}
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      {problem !== undefined && (
        <p className="refused" role="alert">
          <Mark kind="bad" />
          {problem}
        </p>
      )}
      <span className="acts">
        <button type="button" className="button" onClick={() => setOpen(false)}>
          Back
        </button>
        <button type="submit" className="button risk" aria-disabled={!isReason || isSending}>
          Approve alone
        </button>
      </span>
    </form>
  )
}
