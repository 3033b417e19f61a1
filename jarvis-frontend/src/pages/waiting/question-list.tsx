import type { QuestionRow } from 'protocol'
import { LiveQuestion } from '../../app/live-question.tsx'
import { askerOf, gistOf } from '../../features/questions/words.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Link } from '../../ui/link.tsx'
import { Mark } from '../../ui/mark.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'

type TitleOf = (sessionId: string) => string | undefined

/** Waiting questions, oldest first. They are separate from the cards, because an answer approves no call. */
export function QuestionList({
  items,
  chosen,
  titleOf,
}: {
  items: readonly QuestionRow[]
  chosen: string | undefined
  titleOf: TitleOf
}) {
  const isPhone = useMedia(phone)
  if (items.length === 0) return null
  return (
    <>
      <h2>Questions</h2>
      <ul>
        {items.map((row) => (
          <li key={row.questionId}>
            <Link
              to={`/waiting?question=${encodeURIComponent(row.questionId)}`}
              replace={!isPhone}
              aria-current={row.questionId === chosen ? 'true' : undefined}
            >
              <Mark kind="question" size={13} />
              <span>
                <Visible text={gistOf(row)} />
              </span>
              <small>
                <Visible
                  text={`${row.server === undefined ? '' : 'server '}${askerOf(row)} asks in: ${titleOf(row.sessionId) ?? 'a chat'}`}
                />
              </small>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The question that was chosen, open or ended. */
export function QuestionDetail({ row, titleOf }: { row: QuestionRow; titleOf: TitleOf }) {
  const { end, by = 'jarvis', answers, said, endedAt = 0 } = row
  const ended = end === undefined ? undefined : { end, by, at: endedAt, answers, said }
  const title = titleOf(row.sessionId)
  return (
    <>
      <LiveQuestion question={row} sessionId={row.sessionId} ended={ended} isInChat={false} />
      {title !== undefined && (
        <p className="from">
          Asked in <Link to={`/chat/${row.sessionId}`}>{title}</Link>
        </p>
      )}
    </>
  )
}
