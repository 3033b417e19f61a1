import type { EntryOf } from 'protocol'
import { useLayoutEffect, useRef, useState } from 'react'
import { BranchFrom } from '../../app/context/branch-from.tsx'
import { useEscape } from '../../lib/use-escape.ts'
import { sends, useEnterHint } from '../../ui/enter.ts'
import { useBranch } from './use-branch.ts'

type Props = { sessionId: string; user: EntryOf<'user'>; onEnd: () => void }

/** Edits a message. Sending it creates another version of the message. */
export function EditMessage({ sessionId, user, onEnd }: Props) {
  const [text, setText] = useState(user.text)
  const [isGoingBack, setGoingBack] = useState(false)
  const { branch, isBranching, problem } = useBranch(sessionId)
  const field = useRef<HTMLTextAreaElement>(null)
  const enterHint = useEnterHint()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field grows with its text
  useLayoutEffect(() => {
    const element = field.current
    if (element === null) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight + 2}px`
  }, [text])
  useEscape(onEnd)
  const send = () => {
    if (/\S/.test(text)) branch({ before: user.seq, text, files: user.attachments?.map(({ id }) => id) })
  }
  return (
    <form
      className="editing"
      aria-label="Edit this message"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        ref={field}
        rows={1}
        // biome-ignore lint/a11y/noAutofocus: the person asked to type here
        autoFocus
        className="field"
        aria-label="Edited message"
        enterKeyHint={enterHint}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (!sends(event)) return
          event.preventDefault()
          send()
        }}
      />
      <p>
        <span className="flex-1">{problem ?? 'Both versions stay. Beside the message you switch between them.'}</span>
        <button
          type="button"
          className="button small quiet"
          aria-expanded={isGoingBack}
          onClick={() => setGoingBack(!isGoingBack)}
        >
          Files and changes since…
        </button>
        <button type="button" className="button small quiet" onClick={onEnd}>
          Leave it
        </button>
        <button type="submit" className="button small solid" aria-disabled={isBranching || !/\S/.test(text)}>
          Send
        </button>
      </p>
      {isGoingBack && <BranchFrom sessionId={sessionId} seq={user.seq} onEnd={onEnd} />}
    </form>
  )
}
