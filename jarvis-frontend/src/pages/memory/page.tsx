import { useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { forgetSession, listFiles, passagesOf, readFile, searchMemory } from '../../api/memory.ts'
import { useSessions } from '../../api/sessions.ts'
import { useLoad, useNewest } from '../../api/use-load.ts'
import { Problem, Resting, Skeletons, useIsLive } from '../../app/load-state.tsx'
import { Markdown } from '../../features/chat/markdown.tsx'
import { Editor } from '../../features/memory/editor.tsx'
import { Hits, Passages } from '../../features/memory/hits.tsx'
import { IndexState } from '../../features/memory/index-state.tsx'
import { plural, size } from '../../lib/format.ts'
import { navigate, useSearchParams } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { PanelHead } from '../../ui/panel-head.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import { visibleText } from '../../ui/visible.ts'
import './page.css'
import { PageHead } from '../../app/page-head.tsx'
import { SearchField } from '../../app/search-field.tsx'
import { Empty } from '../../ui/empty.tsx'

const useRest = () => {
  const isOperator = useValue(signedIn)?.role === 'operator'
  const isLive = useIsLive()
  return isOperator && isLive ? undefined : <Resting isOperator={isOperator} isLive={isLive} />
}

/** The memory: files that people can edit too, and remembered parts of sessions. One search covers both. */
export function MemoryPage() {
  const [params, setParams] = useSearchParams()
  const isPhone = useMedia(phone)
  const rest = useRest()
  const query = params.get('q') ?? ''
  const path = params.get('file')
  const sessionId = params.get('session')
  const isInside = path !== null || sessionId !== null
  const line = Number(params.get('line')) || undefined
  const search = (text: string) => setParams(text === '' ? {} : { q: text })
  const content =
    path !== null ? (
      <File key={path} path={path} line={line} />
    ) : sessionId !== null ? (
      <SessionMemory key={sessionId} id={sessionId} />
    ) : query.trim() !== '' ? (
      <Results query={query} />
    ) : undefined
  const back = query === '' ? '/agents/memory' : `/agents/memory?q=${encodeURIComponent(query)}`
  return (
    <>
      <PageHead>
        <span className="flex-1" />
      </PageHead>
      <div className={`page memory${isInside ? ' inside' : ''}`}>
        {!(isPhone && isInside) && (
          <aside className="memory-side scroll" aria-label="What is kept">
            <SearchField
              className="memory-search"
              label="Search the memory"
              placeholder="What was fixed, and when?"
              maxLength={500}
              query={query}
              onSearch={search}
            />
            {!(isPhone && content !== undefined) && (
              <>
                <Files chosen={path} isResting={rest !== undefined} />
                <SessionLinks chosen={sessionId} />
                <IndexState isResting={rest !== undefined} />
              </>
            )}
          </aside>
        )}
        {(content !== undefined || !isPhone) && (
          <div className="memory-main scroll">
            {isInside && (isPhone || query !== '') && (
              <Link to={back} className="back">
                <Icon name="right" /> {query === '' ? 'Memory' : 'What was found'}
              </Link>
            )}
            {content ?? <Welcome />}
          </div>
        )}
      </div>
    </>
  )
}

function Welcome() {
  return (
    <Empty title="Ask what JARVIS knows, or open a file.">
      <p className="text-dim">
        Say in a chat: remember that… What comes of runs that change something is noted by itself, in a file a day.
      </p>
    </Empty>
  )
}

function Results({ query }: { query: string }) {
  const { data, problem, isOld, again } = useLoad(`memory search ${query.trim()}`, () => searchMemory(query), [
    'memory',
    'connect',
  ])
  if (data === undefined) {
    return problem === undefined ? <Skeletons rows={5} height={64} /> : <Problem error={problem} onAgain={again} />
  }
  return (
    <div aria-busy={isOld}>
      <Problem error={problem} onAgain={again} kept />
      {data.byKeywordsAlone && (
        <p className="memory-note">Found by words alone: meaning is not ready or not available.</p>
      )}
      {data.waiting !== undefined && (
        <p className="memory-note">
          {plural(data.waiting, 'passage')} of conversations searched by words alone so far: their meaning is being
          read.
        </p>
      )}
      {data.hits.length === 0 ? (
        <Empty title="Nothing is known of that." />
      ) : (
        <Hits hits={data.hits} query={query} others={data.others} ignored={data.ignored} />
      )}
    </div>
  )
}

function Files({ chosen, isResting }: { chosen: string | null; isResting: boolean }) {
  const { data, problem, again } = useLoad('files of memory', listFiles, ['memory', 'connect'])
  return (
    <section aria-label="Files">
      <PanelHead title="Files" />
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined && problem === undefined && <Skeletons rows={4} height={18} />}
      {data?.items.length === 0 && <p className="memory-note">Nothing kept yet. Say: remember that…</p>}
      <ul>
        {data?.items.map((file) => (
          <li key={file.path}>
            <Link
              to={`/agents/memory?file=${encodeURIComponent(file.path)}`}
              aria-current={file.path === chosen ? 'true' : undefined}
            >
              <span className="cut mono">{visibleText(file.path)}</span>
              <small className="num">{size(file.bytes)}</small>
            </Link>
          </li>
        ))}
      </ul>
      {!isResting && (
        <form
          className="new-file"
          aria-label="Make a file"
          onSubmit={(event) => {
            event.preventDefault()
            const path = String(new FormData(event.currentTarget).get('path') ?? '').trim()
            if (path !== '') navigate(`/agents/memory?file=${encodeURIComponent(path)}`)
          }}
        >
          <input
            className="field mono"
            name="path"
            aria-label="Name of a new file"
            placeholder="runbooks/dns.md"
            maxLength={300}
            autoComplete="off"
          />
          <button type="submit" className="button small">
            Write
          </button>
        </form>
      )}
    </section>
  )
}

const shownSessions = 12

function SessionLinks({ chosen }: { chosen: string | null }) {
  const sessions = useSessions() ?? []
  if (sessions.length === 0) return null
  const newest = [...sessions].sort((a, b) => b.updatedAt - a.updatedAt).slice(0, shownSessions)
  return (
    <section aria-label="Remembered of sessions">
      <PanelHead title="Of sessions" />
      <ul>
        {newest.map(({ id, title }) => (
          <li key={id}>
            <Link
              to={`/agents/memory?session=${encodeURIComponent(id)}`}
              aria-current={id === chosen ? 'true' : undefined}
            >
              <span className="cut">{visibleText(title)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function File({ path, line }: { path: string; line: number | undefined }) {
  const { data, problem, again, put } = useNewest(`file ${path}`, () => readFile(path), ['memory', 'connect'])
  const rest = useRest()
  const isNew = data === undefined && problem?.code === 'not_found'
  if (data === undefined && !isNew) {
    return problem === undefined ? <Skeletons rows={8} height={20} /> : <Problem error={problem} onAgain={again} />
  }
  return (
    <>
      {problem !== undefined && problem.code !== 'not_found' && <Problem error={problem} onAgain={again} kept />}
      <Editor
        file={problem?.code === 'not_found' ? undefined : data}
        path={path}
        line={line}
        rest={rest}
        preview={(text) => <Markdown text={text} />}
        onSaved={put}
        onDeleted={() => navigate('/agents/memory')}
      />
    </>
  )
}

function SessionMemory({ id }: { id: string }) {
  const { data, problem, again } = useLoad(`passages of ${id}`, () => passagesOf(id), ['memory', 'connect'])
  const title = useSessions()?.find((session) => session.id === id)?.title
  const rest = useRest()
  const [isAsking, setAsking] = useState(false)
  const [refused, setRefused] = useState<string>()
  const forget = async () => {
    try {
      await forgetSession(id)
      setRefused(undefined)
      setAsking(false)
      again()
    } catch (error) {
      setRefused(error instanceof Error ? error.message : 'It was not forgotten.')
    }
  }
  return (
    <article className="session-memory">
      <header>
        <h2 className="cut">{visibleText(title ?? id)}</h2>
        <Link className="text-link" to={`/chat/${encodeURIComponent(id)}`}>
          Open the session
        </Link>
      </header>
      <Problem error={problem} onAgain={again} kept={data !== undefined} />
      {data === undefined ? (
        problem === undefined && <Skeletons rows={4} height={64} />
      ) : data.items.length === 0 ? (
        <p className="memory-note">Nothing is remembered of this session.</p>
      ) : (
        <>
          <div className="strip">
            <span>
              {isAsking ? (
                <>
                  <b>It is forgotten for good.</b> The session itself stays, and the files do.
                </>
              ) : (
                'Parts of what was said here are recalled in later sessions.'
              )}
            </span>
            {rest ??
              (isAsking ? (
                <>
                  <button type="button" className="button small" onClick={() => void forget()}>
                    Forget all of it
                  </button>
                  <button type="button" className="button small quiet" onClick={() => setAsking(false)}>
                    Keep it
                  </button>
                </>
              ) : (
                <button type="button" className="button small" onClick={() => setAsking(true)}>
                  Forget…
                </button>
              ))}
          </div>
          {refused !== undefined && <p role="alert">{refused}</p>}
          <Passages items={data.items} />
        </>
      )}
    </article>
  )
}
