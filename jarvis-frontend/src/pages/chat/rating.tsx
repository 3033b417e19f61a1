import type { EntryOf } from 'protocol'
import { useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { call } from '../../api/http.ts'
import { useIsLive } from '../../app/load-state.tsx'
import type { Run } from '../../features/chat/runs.ts'
import { useEscape } from '../../lib/use-escape.ts'
import { useValue } from '../../lib/use-value.ts'
import { visibleText } from '../../ui/visible.ts'

type Word = 'up' | 'down'
const labels = { up: 'Good answer', down: 'Bad answer' } as const

/** A person's rating of an answer. Pressing the same button again removes it. No model reads ratings. */
export function Rating({ sessionId, run }: { sessionId: string; run: Run }) {
  const mayAct = useValue(signedIn)?.mayAsk === true
  const isLive = useIsLive()
  const [problem, setProblem] = useState('')
  const [isWriting, setWriting] = useState(false)
  useEscape(isWriting ? () => setWriting(false) : undefined)
  const answer = answerIn(run)
  if (answer === undefined) return null
  const rated = run.entries.findLast((entry) => entry.type === 'rating' && entry.of === answer.seq) as
    | EntryOf<'rating'>
    | undefined
  const rate = (rating: Word | null, note?: string) => {
    const body = { rating, ...(note !== undefined && note.trim() !== '' && { note }) }
    setWriting(false)
    const params = { id: sessionId, seq: String(answer.seq) }
    call('PUT /api/sessions/:id/entries/:seq/rating', { params, body }).then(
      () => setProblem(''),
      (error: Error) => setProblem(`Not kept: ${error.message}`),
    )
  }
  const given = rated?.rating ?? undefined
  if (!mayAct && given === undefined) return null
  return (
    <span className="rating">
      {mayAct &&
        (['up', 'down'] as const).map((word) => (
          <button
            key={word}
            type="button"
            className="button small quiet"
            aria-pressed={given === word}
            disabled={!isLive}
            onClick={() => rate(given === word ? null : word)}
          >
            {labels[word]}
          </button>
        ))}
      {!mayAct && given !== undefined && <span>{labels[given]}</span>}
      {rated?.note !== undefined && given !== undefined && <q>{visibleText(rated.note)}</q>}
      {mayAct && given !== undefined && !isWriting && (
        <button type="button" className="button small quiet" disabled={!isLive} onClick={() => setWriting(true)}>
          Say why
        </button>
      )}
      {isWriting && given !== undefined && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            rate(given, String(new FormData(event.currentTarget).get('note') ?? ''))
          }}
        >
          <input
            name="note"
            aria-label="Why"
            maxLength={2_000}
            defaultValue={rated?.note}
            // biome-ignore lint/a11y/noAutofocus: the person opened it to write
            autoFocus
          />
          <button type="submit" className="button small">
            Keep
          </button>
        </form>
      )}
      {problem !== '' && <span role="status">{problem}</span>}
    </span>
  )
}

/** The last text of a model in the run. */
const answerIn = ({ entries }: Run) =>
  entries.findLast(
    (entry) =>
      entry.type === 'assistant' &&
      entry.madeBy === undefined &&
      entry.content.some((part) => part.type === 'text' && part.text.trim() !== ''),
  )
