import type { SessionSummary } from 'protocol'
import { useEffect, useMemo, useRef, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { archiveSession, listSessions, renameSession, type SessionFilter } from '../../api/session-acts.ts'
import { sessions } from '../../api/sessions.ts'
import { usePaged } from '../../api/use-paged.ts'
import { say } from '../../app/announce.tsx'
import { deleteSoon, undoDelete } from '../../app/delete-soon.ts'
import { deleting, isGone } from '../../app/deleting.ts'
import { Problem, Resting, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { SearchField } from '../../app/search-field.tsx'
import { useNarrowing } from '../../app/use-narrowing.ts'
import { SessionList } from '../../features/sessions/list.tsx'
import type { RowActs } from '../../features/sessions/row.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Empty } from '../../ui/empty.tsx'
import { Link } from '../../ui/link.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import { useNow } from '../../ui/use-now.ts'
import { exportSession } from './export-session.ts'
import { Narrow, narrowed } from './narrow.tsx'
import './page.css'

/** The page with all sessions: search, rename, archive, export and delete. */
export function SessionsPage() {
  const [params, set, clear] = useNarrowing()
  const isPhone = useMedia(phone)
  const query = params.get('q') ?? ''
  const source = params.get('source')
  const isArchive = params.get('archived') === 'only'
  const filter: SessionFilter = {
    ...(query.trim() !== '' && { q: query.trim() }),
    ...((source === 'chat' || source === 'mcp' || source === 'v1') && { source }),
    ...(isArchive && { archived: 'only' as const }),
    ...narrowed(params),
  }
  const filters = (
    <fieldset className="filters">
      <legend className="vh">Show</legend>
      {sourceFilters.map(([value, word]) => (
        <button
          key={word}
          type="button"
          aria-pressed={filter.source === value && !(isArchive && value === undefined)}
          onClick={() => set({ source: value, ...(value === undefined && { archived: undefined }) })}
        >
          {word}
        </button>
      ))}
      <button type="button" aria-pressed={isArchive} onClick={() => set({ archived: isArchive ? undefined : 'only' })}>
        Archived
      </button>
    </fieldset>
  )
  const scroller = useRef<HTMLDivElement>(null)
  return (
    <>
      <PageHead>
        {!isPhone && filters}
        <span className="flex-1" />
      </PageHead>
      <div ref={scroller} className="page scroll sessions-page">
        {isPhone && filters}
        <SearchField
          className="session-search"
          label="Search titles and messages"
          placeholder='Words of titles and messages, "in quotes" as they stand'
          maxLength={200}
          query={query}
          onSearch={(q) => set({ q })}
        />
        <Narrow params={params} set={set} />
        <Found filter={filter} query={query} scroller={scroller} onClear={clear} />
      </div>
    </>
  )
}

const sourceFilters = [
  [undefined, 'All'],
  ['chat', 'Chat'],
  ['mcp', 'MCP'],
  ['v1', 'Programs'],
] as const

const indexingAgainMs = 1_000
const idOf = ({ id }: SessionSummary) => id

/** Calls `act` again and again. @param everyMs undefined: not at all */
function useAgain(act: () => void, everyMs: number | undefined) {
  useEffect(() => {
    if (everyMs === undefined) return
    const timer = setInterval(act, everyMs)
    return () => clearInterval(timer)
  }, [act, everyMs])
}

function Found({
  filter,
  query,
  scroller,
  onClear,
}: {
  filter: SessionFilter
  query: string
  scroller: React.RefObject<HTMLDivElement | null>
  onClear: () => void
}) {
  const list = usePaged({
    key: `sessions ${JSON.stringify(filter)}`,
    read: (before) => listSessions(filter, before),
    idOf,
    on: ['connect', 'sessions', 'confirmations'],
  })
  const isIndexing = list.newest?.isIndexing === true
  useAgain(list.again, isIndexing ? indexingAgainMs : undefined)
  const gone = useValue(deleting)
  const isOperator = useValue(signedIn)?.mayAsk === true
  const isLive = useIsLive()
  const now = useNow(60_000)
  const [refused, setRefused] = useState<string>()
  const settle = async (work: Promise<unknown>, done?: string) => {
    setRefused(undefined)
    try {
      await work
      if (done !== undefined) say(done)
    } catch (error) {
      setRefused(error instanceof Error ? error.message : 'That did not work.')
    }
    list.again()
    sessions.renew()
  }
  const acts: RowActs = {
    rename: ({ id }, title) => void settle(renameSession(id, title), `Renamed to ${title}.`),
    archive({ id, title, archivedAt }) {
      list.drop((session) => session.id === id)
      const isArchived = archivedAt === undefined
      void settle(archiveSession(id, isArchived), isArchived ? `${title} is archived.` : `${title} is back.`)
    },
    save: (session, format) => void settle(exportSession(session, format)),
    remove: ({ id, title, versions }) => deleteSoon({ id, title, versions: versions === undefined ? [] : [id] }),
  }
  const shown = useMemo(() => list.items?.filter(({ id }) => !isGone(gone, id)), [list.items, gone])
  if (shown === undefined) {
    return list.problem === undefined ? (
      <Skeletons rows={10} height={32} />
    ) : (
      <Problem error={list.problem} onAgain={list.again} />
    )
  }
  const isFiltered = Object.keys(filter).length > 0
  return (
    <div aria-busy={list.isOld} className="session-results">
      <Problem error={list.problem} onAgain={list.again} kept />
      {refused !== undefined && (
        <p className="strip page-problem" role="alert">
          <span>{refused}</span>
        </p>
      )}
      {!(isOperator && isLive) && <Resting isOperator={isOperator} isLive={isLive} />}
      {isIndexing && (
        <p className="rest-note" role="note">
          Older sessions are still being read: what is found may not be all, and tokens are missing.
        </p>
      )}
      {shown.length > 0 ? (
        <SessionList
          sessions={shown}
          now={now}
          query={query}
          scroller={scroller}
          acts={acts}
          mayChange={isOperator && isLive}
          hasMore={list.hasMore}
          onMore={list.more}
          onUndo={() => {
            const last = gone.findLast(({ isSent }) => !isSent)
            if (last !== undefined) undoDelete(last.id)
          }}
        />
      ) : (
        <Empty
          title={
            !isFiltered
              ? 'No session yet.'
              : filter.archived === undefined
                ? 'No session is like that.'
                : 'Nothing is archived that is like that.'
          }
        >
          {isFiltered ? (
            <button type="button" className="button" onClick={onClear}>
              Show all sessions
            </button>
          ) : (
            <Link to="/" className="button">
              Ask something
            </Link>
          )}
        </Empty>
      )}
      <Problem error={list.earlierProblem} onAgain={list.more} kept />
    </div>
  )
}
