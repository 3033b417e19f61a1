import type { SessionSummary } from 'protocol'
import { Suspense, useEffect, useState } from 'react'
import { signedIn } from '../../api/auth.ts'
import { call } from '../../api/http.ts'
import { renameSession } from '../../api/session-acts.ts'
import { sessions, setRehearsal, unlisted, useSession, useSessions } from '../../api/sessions.ts'
import { useLoad } from '../../api/use-load.ts'
import { say } from '../../app/announce.tsx'
import { later } from '../../app/later.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { Whose } from '../../features/sessions/whose.tsx'
import { navigate } from '../../lib/location.tsx'
import { useValue } from '../../lib/use-value.ts'
import { Icon } from '../../ui/icon.tsx'
import { Link } from '../../ui/link.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import { visibleText } from '../../ui/visible.ts'
import { useOwns } from './owns.ts'
import { useVersions } from './versions.ts'

const Naming = later(() => import('../../features/sessions/naming.tsx').then((part) => part.Naming))
const Sharing = later(() => import('./sharing.tsx').then((part) => part.Sharing))
const Files = later(() => import('./files.tsx').then((part) => part.Files))
const ContextChip = later(() => import('../../app/context/chip.tsx').then((part) => part.ContextChip))

type Props = {
  sessionId: string
  title: string
  isRehearsal: boolean
  /** The agent of the session; undefined: main. */
  agent: string | undefined
  branchedFrom: SessionSummary['branchedFrom']
  detail: string | undefined
  /** Further items of the menu on a phone. */
  phoneActs: React.ReactNode
  children: React.ReactNode
}

/** Loads a session that is not in the list of the newest ones, so that the page knows its owner. */
function useUnlisted(sessionId: string) {
  const list = useSessions()
  const isUnlisted = list !== undefined && !list.some(({ id }) => id === sessionId)
  const { data } = useLoad(
    `session ${sessionId}`,
    isUnlisted ? () => call('GET /api/sessions/:id', { params: { id: sessionId } }) : undefined,
    ['connect', 'sessions', 'people'],
  )
  useEffect(() => {
    if (data !== undefined) unlisted.set(data)
  }, [data])
}

/** The header of a session: title, origin, and the buttons that rename, delete and start a rehearsal. */
export function SessionHead({
  sessionId,
  title,
  isRehearsal,
  agent,
  branchedFrom,
  detail,
  phoneActs,
  children,
}: Props) {
  const isPhone = useMedia(phone)
  const mayAsk = useValue(signedIn)?.mayAsk === true
  const owns = useOwns(sessionId)
  const listed = useSession(sessionId)
  useUnlisted(sessionId)
  const [doing, setDoing] = useState<'naming'>()
  const settle = async (work: Promise<unknown>) => {
    setDoing(undefined)
    await work.catch((error: Error) => say(error.message))
    sessions.renew()
  }
  const versions = useVersions(sessionId)?.flatMap(({ sessionIds }) => sessionIds) ?? []
  const remove = async () => {
    const { deleteSoon } = await import('../../app/delete-soon.ts')
    deleteSoon({ id: sessionId, title, versions })
    navigate('/')
  }
  const deleteWords = versions.length > 0 ? 'Delete this session with all its versions' : 'Delete this session'
  // Versions are shown beside their message, so they are not named as a branch here.
  const origin = branchedFrom !== undefined && branchedFrom.isVersion === undefined && (
    <>
      Branch of{' '}
      {branchedFrom.title === undefined ? (
        'a session that is deleted'
      ) : (
        <Link to={`/chat/${branchedFrom.sessionId}`} className="text-link">
          {visibleText(branchedFrom.title)}
        </Link>
      )}
    </>
  )
  const answering = agent !== undefined && agent !== 'main' && (
    <Link
      to={`/agents?agent=${encodeURIComponent(agent)}`}
      className="text-link head-agent"
      title="The agent of this chat"
    >
      <Icon name="agents" /> {agent}
    </Link>
  )
  if (doing === 'naming' && !isPhone) {
    return (
      <PageHead
        name={title}
        title={
          <Suspense fallback={title}>
            <Naming
              className="naming"
              title={title}
              onName={(name) => void settle(renameSession(sessionId, name))}
              onEnd={() => setDoing(undefined)}
            />
          </Suspense>
        }
      >
        <span className="flex-1" />
        {children}
      </PageHead>
    )
  }
  return (
    <PageHead
      title={title}
      detail={detail}
      phoneDetail={answering || origin || (listed && <Whose person={listed.person} />)}
      phoneActs={
        <>
          <Link to={`/chat/${sessionId}?context=1`} className="button">
            Context and cost
          </Link>
          {phoneActs}
          <Suspense fallback={null}>
            <Files sessionId={sessionId} />
            <Sharing sessionId={sessionId} />
          </Suspense>
        </>
      }
    >
      {listed && <Whose person={listed.person} />}
      {answering}
      {origin !== false && <span className="cut text-dim">{origin}</span>}
      {owns && (
        <span className="head-acts">
          <button
            type="button"
            className="icon-button"
            aria-label="Rename this session"
            title="Rename"
            onClick={() => setDoing('naming')}
          >
            <Icon name="pen" />
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={deleteWords}
            title={deleteWords}
            onClick={() => void remove().catch((error: Error) => say(error.message))}
          >
            <Icon name="close" />
          </button>
          <button
            type="button"
            className="button small quiet"
            aria-pressed={isRehearsal}
            title="Changes only say what they would do"
            onClick={() => void settle(setRehearsal(sessionId, !isRehearsal))}
          >
            Rehearse
          </button>
        </span>
      )}
      <Suspense fallback={null}>
        <ContextChip sessionId={sessionId} />
        <Files sessionId={sessionId} />
        <Sharing sessionId={sessionId} />
      </Suspense>
      <span className="flex-1" />
      {mayAsk && (
        <Link to="/" className="icon-button" aria-label="New chat" title="New chat  Alt N">
          <Icon name="plus" />
        </Link>
      )}
      {children}
    </PageHead>
  )
}
