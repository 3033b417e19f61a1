import type { SessionSummary } from 'protocol'
import { signedIn } from '../api/auth.ts'
import { useSessionCount, useSessions } from '../api/sessions.ts'
import { useCluster } from '../features/cluster/store.ts'
import { SessionState } from '../features/sessions/state.tsx'
import { Whose } from '../features/sessions/whose.tsx'
import { grouped } from '../lib/grouped.ts'
import { useValue } from '../lib/use-value.ts'
import { Icon } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Mark } from '../ui/mark.tsx'
import { Tier } from '../ui/tier.tsx'
import { useNow } from '../ui/use-now.ts'
import { deleting, isGone } from './deleting.ts'
import { useHere, usePages, usePagesIn } from './here.ts'
import { leave } from './leave.ts'
import { live } from './live.ts'
import type { Page, Place } from './page-list.ts'
import { Presence, usePresence } from './presence.tsx'
import { switchTheme, theme } from './theme.ts'

export function Rail() {
  const { words } = usePresence()
  return (
    <aside className="rail">
      <div className="brand">
        <Presence size={32} />
        <div>
          <b>JARVIS</b>
          <small>{words}</small>
        </div>
      </div>
      <nav className="nav" aria-label="Main">
        <PageLinks of="rail" />
      </nav>
      <nav className="sessions scroll" aria-label="Sessions">
        <SessionList />
      </nav>
      <nav className="nav foot" aria-label="More">
        <PageLinks of="foot" />
      </nav>
      <Me />
    </aside>
  )
}

/** Returns the count beside a page's name: what waits for a person, or what needs a look. @param size size of the icon, px */
export function usePageCounts(size: number): (page: Page) => React.ReactNode {
  const { waiting } = usePresence()
  const { issues } = useCluster()
  const of = (glyph: React.ReactNode, count: number, word: string) => (
    <>
      {glyph}
      <span className="num">{count}</span>
      <span className="vh"> {word}</span>
    </>
  )
  return ({ counts }) => {
    if (counts === 'waiting' && waiting > 0)
      return of(<Tier tier="red" size={size} />, waiting, waiting === 1 ? 'waits' : 'wait')
    if (counts === 'alerts' && issues[0] !== undefined)
      return of(
        <Mark kind={issues[0].tone} size={size} />,
        issues.length,
        issues.length === 1 ? 'needs a look' : 'need a look',
      )
    return undefined
  }
}

function PageLinks({ of }: { of: Place }) {
  const countOf = usePageCounts(11)
  const pages = usePages()
  const here = useHere()
  return usePagesIn(of).map((page) => {
    const count = countOf(page)
    return (
      <Link
        key={page.path}
        to={page.path}
        className={count === undefined ? '' : 'nav-count'}
        aria-current={here !== undefined && pages.placeOf(here.page) === page ? 'page' : undefined}
        title={page.title}
      >
        <Icon name={page.icon} />
        <span className="label">{page.title}</span>
        {count !== undefined && <span className="count">{count}</span>}
      </Link>
    )
  })
}

export function Me() {
  const person = useValue(signedIn)
  const link = useValue(live.link.value)
  const isDark = useValue(theme) === 'dark'
  return (
    <div className="me">
      <Mark kind={link.status === 'live' ? 'ok' : 'unknown'} size={10} />
      <span className="cut flex-1">
        {person?.name}{' '}
        <span className="text-dim">
          · {link.status === 'live' ? 'live' : link.status === 'lost' ? 'offline' : 'connecting'}
        </span>
      </span>
      <button
        type="button"
        className="icon-button"
        aria-label={isDark ? 'Switch to the light theme' : 'Switch to the dark theme'}
        title="Switch theme"
        onClick={switchTheme}
      >
        <Icon name={isDark ? 'sun' : 'moon'} />
      </button>
      <button type="button" className="icon-button" aria-label="Sign out" title="Sign out" onClick={() => void leave()}>
        <Icon name="leave" />
      </button>
    </div>
  )
}

const startOfDay = (at: number) => new Date(at).setHours(0, 0, 0, 0)

function byDay(sessions: readonly SessionSummary[], now: number): [string, SessionSummary[]][] {
  const today = startOfDay(now)
  const groups = new Map<string, SessionSummary[]>()
  for (const session of sessions) {
    const day =
      session.updatedAt >= today ? 'Today' : session.updatedAt >= startOfDay(today - 1) ? 'Yesterday' : 'Earlier'
    groups.set(day, [...(groups.get(day) ?? []), session])
  }
  return [...groups]
}

/** The newest sessions, grouped by day, and a link to all sessions. */
export function SessionList({ onChoose }: { onChoose?: () => void }) {
  const sessions = useSessions()
  const count = useSessionCount()
  const here = useHere()
  const gone = useValue(deleting)
  const now = useNow(60_000)
  if (sessions === undefined) return null
  const days = byDay(
    sessions.filter(({ id }) => !isGone(gone, id)).sort((a, b) => b.updatedAt - a.updatedAt),
    now,
  )
  const parts = days.map(([day, ofDay]) => (
    <section key={day}>
      <h2>{day}</h2>
      {ofDay.map((session) => (
        <Link
          key={session.id}
          to={`/chat/${session.id}`}
          aria-current={here?.params.sessionId === session.id ? 'page' : undefined}
          title={session.title}
          onClick={onChoose}
        >
          <span className="cut flex-1">{session.title}</span>
          <Whose person={session.person} />
          <SessionState session={session} />
        </Link>
      ))}
    </section>
  ))
  return (
    <>
      {parts}
      <Link
        to="/sessions"
        className="all-sessions"
        aria-current={here?.page.path === '/sessions' ? 'page' : undefined}
        onClick={onChoose}
      >
        <Icon name="sessions" />
        <span>{count === undefined || count < 2 ? 'All sessions' : `All ${grouped(count)} sessions`}</span>
      </Link>
    </>
  )
}
