import type { QuestionRow } from 'protocol'
import { LiveQuestion } from '../../app/live-question.tsx'
import { Link } from '../../ui/link.tsx'

type TitleOf = (sessionId: string) => string | undefined

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
