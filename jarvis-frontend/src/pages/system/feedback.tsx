import type { Feedback } from 'protocol'
import { ApiError } from 'protocol/client'
import { useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { deleteFeedback, exportFeedback, giveFeedback, readFeedback } from '../../api/feedback.ts'
import { useLoad } from '../../api/use-load.ts'
import { Problem, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { ago, exactTime } from '../../lib/format.ts'
import { useValue } from '../../lib/use-value.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { useNow } from '../../ui/use-now.ts'
import './page.css'

const kinds = {
  up: ['ok', 'Good answer'],
  down: ['bad', 'Bad answer'],
  jarvis: ['step', 'On JARVIS'],
} as const

/** The list of people's ratings of answers and texts on JARVIS, and a form for such a text. */
export function FeedbackPage() {
  const { data, problem, again } = useLoad('feedback', readFeedback, ['connect', 'sessions'])
  const [refused, setRefused] = useState<ApiError>()
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  const act = async (work: Promise<unknown>) => {
    try {
      await work
      setRefused(undefined)
      return true
    } catch (error) {
      setRefused(error instanceof ApiError ? error : new ApiError('unreadable', 'The answer could not be read.'))
      return false
    } finally {
      again()
    }
  }
  return (
    <>
      <PageHead>
        <span className="flex-1" />
        <button type="button" className="button small" disabled={!isLive} onClick={() => void act(exportFeedback())}>
          Export
        </button>
      </PageHead>
      <div className="page scroll feedback stack">
        <PanelHead title="Feedback">{isOperator ? 'everybody’s' : 'yours; operators see everybody’s'}</PanelHead>
        <p className="text-soft">
          It stays on this machine: nobody else gets it, and no model reads it. Export it to pass it on yourself. An
          answer is rated below it, in its conversation.
        </p>
        <form
          className="stack"
          aria-label="Feedback on JARVIS"
          onSubmit={(event) => {
            event.preventDefault()
            const form = event.currentTarget
            const text = String(new FormData(form).get('text') ?? '').trim()
            if (text !== '') void act(giveFeedback(text)).then((isKept) => isKept && form.reset())
          }}
        >
          <label>
            What is good or bad about JARVIS?
            <textarea className="field" name="text" rows={3} required maxLength={4_000} />
          </label>
          <span>
            <button type="submit" className="button" disabled={!isLive}>
              Keep
            </button>
          </span>
        </form>
        <Problem error={refused} isRefusal />
        <Problem error={problem} onAgain={again} kept={data !== undefined} />
        {data === undefined && problem === undefined && <Skeletons rows={3} height={46} />}
        {data?.items.length === 0 && <p className="text-soft">Nobody has said anything yet.</p>}
        {data !== undefined && data.items.length > 0 && (
          <ul className="fact-list" aria-label="Feedback">
            {data.items.map((item) => (
              <FeedbackRow
                key={item.id}
                item={item}
                onDelete={() => void act(deleteFeedback(item.id))}
                isLive={isLive}
              />
            ))}
          </ul>
        )}
        {data?.next !== undefined && <p className="text-soft">Older feedback is in the export.</p>}
      </div>
    </>
  )
}

type RowProps = { item: Feedback; onDelete: () => void; isLive: boolean }

function FeedbackRow({ item, onDelete, isLive }: RowProps) {
  const now = useNow(60_000)
  const { at, name, text, rating, sessionId, seq } = item
  const [mark, words] = kinds[rating ?? 'jarvis']
  return (
    <li>
      <Mark kind={mark} size={11} />
      <span>
        {words}
        <small title={exactTime(at)}>
          <Visible text={name} />, {ago(at, now)}
        </small>
      </span>
      <span>
        {text !== undefined && <Visible text={text} />}
        {sessionId !== undefined && (
          <small>
            <Link className="text-link" to={`/chat/${sessionId}${seq === undefined ? '' : `?at=${seq}`}`}>
              {rating === undefined ? 'The conversation' : 'The answer'}
            </Link>
          </small>
        )}
      </span>
      {item.about === 'jarvis' && (
        <button
          type="button"
          className="button small quiet"
          disabled={!isLive}
          aria-label={`Delete the feedback of ${exactTime(at)}`}
          onClick={onDelete}
        >
          Delete
        </button>
      )}
    </li>
  )
}
