import { type ComponentType, Suspense, useEffect } from 'react'
import { signedIn } from './api/auth.ts'
import { passwordQuestion } from './api/step-up.ts'
import { later, loadLater, Part } from './app/later.tsx'
import { live } from './app/live.ts'
import { Shell } from './app/shell.tsx'
import { ChatContext } from './features/chat/client.ts'
import { SlotsContext } from './features/chat/slots.ts'
import { ClusterContext } from './features/cluster/store.ts'
import { LocationProvider, navigate, useLocation } from './lib/location.tsx'
import { useValue } from './lib/use-value.ts'
import { chatSlots } from './pages/chat/chat-slots.tsx'
import { ChatPage } from './pages/chat/page.tsx'

const SignIn = later(() => import('./app/sign-in.tsx').then((page) => page.SignIn))
const PasswordAgain = later(() => import('./app/password-again.tsx').then((part) => part.PasswordAgain))
const ConsentPage = later(() => import('./pages/consent/page.tsx').then((page) => page.ConsentPage))
const ClusterPage = later(() => import('./pages/cluster/page.tsx').then((page) => page.ClusterPage))
const GuestPage = later(() => import('./pages/guest/page.tsx').then((page) => page.GuestPage))
const WaitingPage = later(() => import('./pages/waiting/page.tsx').then((page) => page.WaitingPage))
const JournalPage = later(() => import('./pages/journal/page.tsx').then((page) => page.JournalPage))
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
  if (person === undefined) {
    return (
      <Part>
        <Suspense fallback={null}>
          <SignIn />
        </Suspense>
      </Part>
    )
  }
  // The consent page stands without the shell.
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
        <SlotsContext value={chatSlots}>
          <LocationProvider>
            <Shell>
              <Suspense fallback={<div className="page" aria-busy="true" />}>
                <Page />
              </Suspense>
            </Shell>
          </LocationProvider>
          <Asked />
        </SlotsContext>
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
const Status = () => <Redirect to="/system" />

/** Pages whose path is one word, by that word. */
const pages = new Map<string, ComponentType>([
  ['', NewChat],
  ['sessions', SessionsPage],
  ['cluster', ClusterPage],
  ['waiting', WaitingPage],
  ['journal', JournalPage],
  ['tools', ToolsPage],
  ['memory', MemoryPage],
  ['settings', SettingsPage],
  ['system', SystemPage],
  ['terminal', TerminalPage],
  ['console', ConsolePage],
  ['status', Status],
  ['more', MorePage],
])

function Page() {
  const [name = '', sessionId, ...others] = wordsOf(useLocation().pathname)
  const page = name.toLowerCase()
  if (page === 'chat' && sessionId !== undefined && others.length === 0) {
    return <ChatPage key={sessionId} sessionId={sessionId} />
  }
  if (page === 'guest' && /^\d+$/.test(sessionId ?? '') && others.length === 0) {
    return <GuestPage key={sessionId} vmid={Number(sessionId)} />
  }
  const Found = sessionId === undefined ? pages.get(page) : undefined
  return Found === undefined ? <Redirect to="/" /> : <Found />
}

/** The parts of a path between slashes, decoded if all of them can be. Slashes at the end are ignored. */
function wordsOf(pathname: string): string[] {
  const words = pathname.replace(/\/+$/, '').split('/').slice(1)
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
