import type { SessionSummary } from 'protocol'
import { memo } from 'react'
import { dollars, exactTime, thousands, timeOfDay } from '../../lib/format.ts'
import { Highlighted } from '../../ui/highlight.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { visibleText } from '../../ui/visible.ts'
import { Naming } from './naming.tsx'
import { SessionState } from './state.tsx'
import { Whose } from './whose.tsx'

export type RowActs = {
  rename(session: SessionSummary, title: string): void
  archive(session: SessionSummary): void
  save(session: SessionSummary, format: 'markdown' | 'jsonl'): void
  remove(session: SessionSummary): void
}

type Props = {
  session: SessionSummary
  query: string
  /** The actions that change a session; they apply only if `mayChange`. Reading and exporting always work. */
  acts: RowActs
  mayChange: boolean
  doing: 'acts' | 'naming' | undefined
  onDoing: (id: string, doing: Props['doing']) => void
}

const sources = { chat: 'Chat', mcp: 'MCP', job: 'Job', v1: 'Program' } as const

/** One session: its title, the matched text, its cost and its actions. */
export const SessionRow = memo(function SessionRow({ session, query, acts, mayChange, doing, onDoing }: Props) {
  const {
    id,
    title,
    source,
    usage,
    isUsagePartial,
    costUsd,
    updatedAt,
    branchedFrom,
    found,
    versions,
    messages,
    preview,
  } = session
  const tokens = usage && usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
  const isOpen = doing === 'acts'
  const label = visibleText(title)
  const place = found === undefined ? `/chat/${id}` : `/chat/${id}?at=${found.seq}`
  return (
    <div className="session-row">
      {doing === 'naming' ? (
        <Naming
          className="session-naming"
          title={session.title}
          onEnd={() => onDoing(id, undefined)}
          onName={(name) => acts.rename(session, name)}
        />
      ) : (
        <Link to={place} className="session-title" data-session={id}>
          <span className="cut">
            <Highlighted text={title} query={query} />
          </span>
          {branchedFrom !== undefined && branchedFrom.isVersion === undefined && (
            <span
              className="session-mark"
              title={`A branch of ${visibleText(branchedFrom.title ?? 'a deleted session')}`}
            >
              <Icon name="branch" />
              <span className="vh">a branch</span>
            </span>
          )}
          {session.sharedWith !== undefined && (
            <span
              className="session-mark"
              title={`Shared with ${visibleText(session.sharedWith.map(({ name }) => name).join(', '))}`}
            >
              <Icon name="agents" />
              <span className="vh">shared</span>
            </span>
          )}
          {versions !== undefined && <span className="session-mark num">{versions} versions</span>}
          {messages !== undefined && messages > 1 && <span className="session-mark num">{messages} messages</span>}
          <Whose person={session.person} />
          <SessionState session={session} />
        </Link>
      )}
      <span className="session-source">{sources[source]}</span>
      <span className="num session-tokens">
        {tokens === undefined || tokens === 0 ? '–' : `${thousands(tokens)} tokens`}
      </span>
      <span
        className="num session-cost"
        {...(isUsagePartial && { title: 'At least this: some answers ended before all was counted.' })}
      >
        {costUsd === undefined ? '' : `${isUsagePartial ? '≥ ' : ''}${dollars(costUsd)}`}
      </span>
      <time className="num" title={exactTime(updatedAt)}>
        {timeOfDay(updatedAt)}
      </time>
      <button
        type="button"
        className="icon-button"
        aria-label={`What can be done with ${label}`}
        aria-expanded={isOpen}
        onClick={() => onDoing(id, isOpen ? undefined : 'acts')}
      >
        <Icon name="more" />
      </button>
      {found !== undefined && (
        <Link to={place} className="session-found" tabIndex={-1}>
          <Highlighted text={found.text} query={query} />
        </Link>
      )}
      {found === undefined && preview !== undefined && (
        <span className="session-found cut">{visibleText(preview)}</span>
      )}
      {isOpen && (
        <div className="session-acts">
          {mayChange && (
            <>
              <button type="button" className="button small" onClick={() => onDoing(id, 'naming')}>
                Rename…
              </button>
              <button type="button" className="button small" onClick={() => acts.archive(session)}>
                {session.archivedAt === undefined ? 'Archive' : 'Take out of the archive'}
              </button>
            </>
          )}
          <button type="button" className="button small" onClick={() => acts.save(session, 'markdown')}>
            Export as Markdown
          </button>
          <button type="button" className="button small" onClick={() => acts.save(session, 'jsonl')}>
            Export as JSONL
          </button>
          {mayChange && (
            <button type="button" className="button small" onClick={() => acts.remove(session)}>
              {versions === undefined ? 'Delete the session' : `Delete the session with its ${versions} versions`}
            </button>
          )}
        </div>
      )}
    </div>
  )
})
