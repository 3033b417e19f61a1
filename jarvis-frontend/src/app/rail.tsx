import type { SessionSummary } from 'jarvis-backend/protocol'
import { signedIn } from '../api/auth.ts'
import { useSessions } from '../api/sessions.ts'
import { useStatus } from '../api/status.ts'
import { SessionState } from '../features/sessions/state.tsx'
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

export const pages: readonly { to: string; name: string; icon: IconName; isHere: (path: string) => boolean }[] = [
  { to: '/', name: 'Chat', icon: 'chat', isHere: (path) => path === '/' || path.startsWith('/chat') },
  { to: '/cluster', name: 'Cluster', icon: 'cluster', isHere: (path) => /^\/(cluster|guest)/.test(path) },
  { to: '/waiting', name: 'Waiting', icon: 'waiting', isHere: (path) => path.startsWith('/waiting') },
  { to: '/journal', name: 'Journal', icon: 'journal', isHere: (path) => path.startsWith('/journal') },
]
export const morePages: typeof pages = [
  { to: '/sessions', name: 'Sessions', icon: 'sessions', isHere: (path) => path.startsWith('/sessions') },
  { to: '/tools', name: 'Tools', icon: 'tools', isHere: (path) => path.startsWith('/tools') },
  { to: '/memory', name: 'Memory', icon: 'memory', isHere: (path) => path.startsWith('/memory') },
]
const terminalPage: (typeof pages)[number] = {
  to: '/terminal',
  name: 'Terminal',
  icon: 'terminal',
  isHere: (path) => path.startsWith('/terminal'),
}
const footPages: typeof pages = [
  { to: '/settings', name: 'Settings', icon: 'settings', isHere: (path) => path.startsWith('/settings') },
  { to: '/system', name: 'System', icon: 'system', isHere: (path) => path.startsWith('/system') },
]

/** The pages at the rail's foot, with the terminal where it is turned on. */
export function useFootPages(): typeof pages {
  const hasTerminal = useStatus()?.hasTerminal === true
  return hasTerminal ? [...footPages, terminalPage] : footPages
}

export function Rail({ path }: { path: string }) {
  const { words, waiting } = usePresence()
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
        <PageLinks of={[...pages, ...morePages]} path={path} waiting={waiting} />
      </nav>
      <nav className="sessions scroll" aria-label="Sessions">
        <SessionList />
      </nav>
      <nav className="nav foot" aria-label="More">
        <PageLinks of={useFootPages()} path={path} />
      </nav>
      <Me />
    </aside>
  )
}

function PageLinks({ of, path, waiting = 0 }: { of: typeof pages; path: string; waiting?: number }) {
  return of.map(({ to, name, icon, isHere }) => {
    const count = name === 'Waiting' && waiting > 0 ? waiting : undefined
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
        {count !== undefined && (
          <span className="count">
            <Tier tier="red" size={11} />
            <span className="num">{count}</span>
          </span>
        )}
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

export function SessionList({ onChoose }: { onChoose?: () => void }) {
  const sessions = useSessions()
  const { pathname } = useLocation()
  const gone = useValue(deleting)
  const now = useNow(60_000)
  if (sessions === undefined) return null
  return byDay(
    sessions.filter(({ id }) => !isGone(gone, id)).sort((a, b) => b.updatedAt - a.updatedAt),
    now,
  ).map(([day, ofDay]) => (
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
}
