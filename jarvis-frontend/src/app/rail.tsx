import type { SessionSummary } from 'protocol'
import { useAlerts } from '../api/alerts.ts'
import { signedIn } from '../api/auth.ts'
import { useOpenQuestions } from '../api/questions.ts'
import { useSessionCount, useSessions } from '../api/sessions.ts'
import { worstOf } from '../features/alerts/worst.ts'
import { SessionState } from '../features/sessions/state.tsx'
import { grouped } from '../lib/grouped.ts'
import { useLocation } from '../lib/location.tsx'
import { useValue } from '../lib/use-value.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Link } from '../ui/link.tsx'
import { Mark } from '../ui/mark.tsx'
import { Tier } from '../ui/tier.tsx'
import { useNow } from '../ui/use-now.ts'
import { deleting, isGone } from './deleting.ts'
import { leave } from './leave.ts'
import { live } from './live.ts'
import { Presence, usePresence } from './presence.tsx'
import { switchTheme, theme } from './theme.ts'

/** A page in the navigation. `isWhole`: the page shows the whole cluster, so members cannot open it. */
type RailPage = { to: string; name: string; icon: IconName; isHere: (path: string) => boolean; isWhole?: true }
/** Makes an entry for a page; its sub-pages count as the page. */
const at = (to: string, name: string, icon: IconName, more?: { isWhole: true }): RailPage => ({
  to,
  name,
  icon,
  ...more,
  isHere: (path) => path.startsWith(to),
})

/** The pages that are tabs on a phone. */
export const tabPages: readonly RailPage[] = [
  { to: '/', name: 'Chat', icon: 'chat', isHere: (path) => path === '/' || path.startsWith('/chat') },
  { to: '/cluster', name: 'Cluster', icon: 'cluster', isHere: (path) => /^\/(cluster|guest)/.test(path) },
  at('/waiting', 'Waiting', 'waiting'),
  at('/alerts', 'Alerts', 'alerts', { isWhole: true }),
]
const otherPages: typeof tabPages = [
  at('/automations', 'Automations', 'automations', { isWhole: true }),
  at('/journal', 'Journal', 'journal', { isWhole: true }),
  at('/agents', 'Agents', 'agents'),
]
const footPages: typeof tabPages = [at('/settings', 'Settings', 'settings'), at('/system', 'System', 'system')]
/** The pages that a phone lists under More. */
export const morePages: typeof tabPages = [...otherPages, at('/sessions', 'Sessions', 'sessions'), ...footPages]

/** The pages that this person may open. */
export function usePages(pages: typeof tabPages): typeof tabPages {
  const isMember = useValue(signedIn)?.rank === 'member'
  return isMember ? pages.filter(({ isWhole }) => isWhole !== true) : pages
}

export function Rail({ path }: { path: string }) {
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
        <PageLinks of={[...tabPages, ...otherPages]} path={path} />
      </nav>
      <nav className="sessions scroll" aria-label="Sessions">
        <SessionList />
      </nav>
      <nav className="nav foot" aria-label="More">
        <PageLinks of={footPages} path={path} />
      </nav>
      <Me />
    </aside>
  )
}

/** Returns the count beside a page's name: waiting cards and questions, and alerts that nobody has acknowledged. @param size size of the icon, px */
export function usePageCounts(size: number): (name: string) => React.ReactNode {
  const { waiting } = usePresence()
  const asked = useOpenQuestions().length
  const worst = worstOf(useAlerts()?.items ?? [])
  const of = (glyph: React.ReactNode, count: number, word: string) => (
    <>
      {glyph}
      <span className="num">{count}</span>
      <span className="vh"> {word}</span>
    </>
  )
  return (name) => {
    if (name === 'Waiting' && waiting + asked > 0)
      return (
        <>
          {asked > 0 && of(<Mark kind="question" size={size + 2} />, asked, asked === 1 ? 'question' : 'questions')}
          {waiting > 0 && of(<Tier tier="red" size={size} />, waiting, 'wait')}
        </>
      )
    if (name === 'Alerts' && worst !== undefined) return of(<Mark kind={worst.mark} size={size} />, worst.count, 'open')
    return undefined
  }
}

function PageLinks({ of, path }: { of: typeof tabPages; path: string }) {
  const countOf = usePageCounts(11)
  return usePages(of).map(({ to, name, icon, isHere }) => {
    const count = countOf(name)
    return (
      <Link
        key={to}
        to={to}
        className={count === undefined ? '' : 'nav-count'}
        aria-current={isHere(path) ? 'page' : undefined}
        title={name}
      >
        <Icon name={icon} />
        <span className="label">{name}</span>
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
  const { pathname } = useLocation()
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
          aria-current={`${pathname}/`.startsWith(`/chat/${session.id}/`) ? 'page' : undefined}
          title={session.title}
          onClick={onChoose}
        >
          <span className="cut flex-1">{session.title}</span>
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
        aria-current={pathname.startsWith('/sessions') ? 'page' : undefined}
        onClick={onChoose}
      >
        <Icon name="sessions" />
        <span>{count === undefined || count < 2 ? 'All sessions' : `All ${grouped(count)} sessions`}</span>
      </Link>
    </>
  )
}
