import { readJournal } from '../../api/journal.ts'
import { useLoad } from '../../api/use-load.ts'
import { exactTime } from '../../lib/format.ts'
import { Empty } from '../../ui/empty.tsx'
import { Link } from '../../ui/link.tsx'
import { visibleText } from '../../ui/visible.ts'

/** Shown if a session does not exist. If it was deleted, says when and by whom, from the journal. */
export function Missing({ sessionId }: { sessionId: string }) {
  const { data } = useLoad(`deletion of ${sessionId}`, () => readJournal({ sessionId, kind: 'session' }))
  const deleted = data?.items.find(({ body }) => (body as { change?: string }).change === 'deleted')
  const by = (deleted?.body as { by?: string } | undefined)?.by
  return (
    <Empty
      title={
        deleted === undefined
          ? 'There is no such session.'
          : `This session was deleted ${exactTime(deleted.at)}${by === undefined ? '' : `, by ${visibleText(by)}`}.`
      }
    >
      <Link to="/" className="button">
        Start a new chat
      </Link>
    </Empty>
  )
}
