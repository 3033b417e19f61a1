import { type ComponentType, Suspense, useEffect } from 'react'
import { signedIn } from './api/auth.ts'
import { passwordQuestion } from './api/step-up.ts'
import { later, loadLater, Part } from './app/later.tsx'
import { live } from './app/live.ts'
import { Shell } from './app/shell.tsx'
import { ChatContext } from './features/chat/client.ts'
import { ClusterContext } from './features/cluster/store.ts'
import { LocationProvider, navigate, useLocation } from './lib/location.tsx'
import { useValue } from './lib/use-value.ts'
import { ChatPage } from './pages/chat/page.tsx'

const SignIn = later(() => import('./app/sign-in.tsx').then((page) => page.SignIn))
const PasswordAgain = later(() => import('./app/password-again.tsx').then((part) => part.PasswordAgain))
const ConsentPage = later(() => import('./pages/consent/page.tsx').then((page) => page.ConsentPage))
const ClusterPage = later(() => import('./pages/cluster/page.tsx').then((page) => page.ClusterPage))
const GuestPage = later(() => import('./pages/guest/page.tsx').then((page) => page.GuestPage))
const WaitingPage = later(() => import('./pages/waiting/page.tsx').then((page) => page.WaitingPage))
const AlertsPage = later(() => import('./pages/alerts/page.tsx').then((page) => page.AlertsPage))
const AutomationsPage = later(() => import('./pages/automations/page.tsx').then((page) => page.AutomationsPage))
const RunbooksPage = later(() => import('./pages/automations/runbooks.tsx').then((page) => page.RunbooksPage))
const WindowsPage = later(() => import('./pages/automations/windows.tsx').then((page) => page.WindowsPage))
const RunbookPage = later(() => import('./pages/runbook/page.tsx').then((page) => page.RunbookPage))
const JournalPage = later(() => import('./pages/journal/page.tsx').then((page) => page.JournalPage))
const AgentsPage = later(() => import('./pages/agents/page.tsx').then((page) => page.AgentsPage))
const SkillsPage = later(() => import('./pages/skills/page.tsx').then((page) => page.SkillsPage))
const SkillPage = later(() => import('./pages/skills/skill.tsx').then((page) => page.SkillPage))
const ToolsPage = later(() => import('./pages/tools/page.tsx').then((page) => page.ToolsPage))
const MemoryPage = later(() => import('./pages/memory/page.tsx').then((page) => page.MemoryPage))
const SessionsPage = later(() => import('./pages/sessions/page.tsx').then((page) => page.SessionsPage))
const SettingsPage = later(() => import('./pages/settings/page.tsx').then((page) => page.SettingsPage))
const SystemPage = later(() => import('./pages/system/page.tsx').then((page) => page.SystemPage))
const TerminalPage = later(() => import('./pages/terminal/page.tsx').then((page) => page.TerminalPage))
const ConsolePage = later(() => import('./pages/console/page.tsx').then((page) => page.ConsolePage))
const MorePage = later(() => import('./pages/more/page.tsx').then((page) => page.MorePage))
loadLater()

export function App() {
  const person = useValue(signedIn)
  if (person === undefined || /^#\/(join|reset)/.test(location.hash)) {
    return (
      <Part>
        <Suspense fallback={null}>
          <SignIn />
        </Suspense>
      </Part>
    )
  }
  // The consent page is shown without the shell.
  if (location.pathname === '/oauth/authorize') {
    return (
      <Part>
        <Suspense fallback={null}>
          <ConsentPage />
        </Suspense>
        <Asked />
      </Part>
    )
  }
  return (
    <ChatContext value={live.chat}>
      <ClusterContext value={live.cluster}>
        <LocationProvider>
          <Shell>
            <Suspense fallback={<div className="page" aria-busy="true" />}>
              <Page />
            </Suspense>
          </Shell>
        </LocationProvider>
        <Asked />
      </ClusterContext>
    </ChatContext>
  )
}

/** The password dialog, over the page whose call needs the password. */
function Asked() {
  const question = useValue(passwordQuestion)
  return (
    question !== undefined && (
      <Part>
        <Suspense fallback={null}>
          <PasswordAgain question={question} />
        </Suspense>
      </Part>
    )
  )
}

const NewChat = () => <ChatPage key="new" sessionId={undefined} />

/** Pages by the first part of their path. */
const pages = new Map<string, ComponentType>([
  ['', NewChat],
  ['sessions', SessionsPage],
  ['cluster', ClusterPage],
  ['waiting', WaitingPage],
  ['alerts', AlertsPage],
  ['automations', AutomationsPage],
  ['automations/runbooks', RunbooksPage],
  ['automations/windows', WindowsPage],
  ['journal', JournalPage],
  ['agents', AgentsPage],
  ['agents/skills', SkillsPage],
  ['agents/tools', ToolsPage],
  ['agents/memory', MemoryPage],
  ['settings', SettingsPage],
  ['system', SystemPage],
  ['system/terminal', TerminalPage],
  ['console', ConsolePage],
  ['more', MorePage],
])

/** Old paths and the present path of their page. The query is kept. */
const moved = new Map([
  ['tools', '/agents/tools'],
  ['memory', '/agents/memory'],
  ['terminal', '/system/terminal'],
  ['status', '/system'],
])

function Page() {
  const { pathname, search, hash } = useLocation()
  const words = wordsOf(pathname)
  const [name = '', sessionId, ...others] = words
  const page = name.toLowerCase()
  if (page === 'chat' && sessionId !== undefined && others.length === 0) {
    return <ChatPage key={sessionId} sessionId={sessionId} />
  }
  if (page === 'guest' && /^\d+$/.test(sessionId ?? '') && others.length === 0) {
    return <GuestPage key={sessionId} vmid={Number(sessionId)} />
  }
  const path = words.join('/').toLowerCase()
  if (words.length === 3 && path.startsWith('automations/runbooks/')) {
    return <RunbookPage key={words[2]} name={words[2] ?? ''} />
  }
  if (words.length === 3 && path.startsWith('agents/skills/')) {
    return <SkillPage key={words[2]} name={words[2] ?? ''} />
  }
  // The browser is back from linking an account, but the server no longer knows of that request. The settings page says what went wrong.
  if (path === '' && search === '?from=elsewhere') return <Redirect to={`/settings${search}#people`} />
  const Found = pages.get(path)
  if (Found !== undefined) return <Found />
  const now = moved.get(path)
  return <Redirect to={now === undefined ? '/' : now + search + hash} />
}

/** Splits a path at its slashes. Each part is decoded, unless one of them cannot be decoded. Slashes at the end are ignored. */
function wordsOf(pathname: string): string[] {
  const words = pathname
    .replace(/(?<!\/)\/+$/, '')
    .split('/')
    .slice(1)
  try {
    return words.map((word) => decodeURIComponent(word))
  } catch {
    return words
  }
}

function Redirect({ to }: { to: string }) {
  useEffect(() => navigate(to, { replace: true }), [to])
  return null
}
