import { type ComponentType, Suspense, useEffect } from 'react'
import { signedIn } from './api/auth.ts'
import { passwordQuestion } from './api/step-up.ts'
import { PagesContext, useHere } from './app/here.ts'
import { later, loadLater, Part } from './app/later.tsx'
import { live } from './app/live.ts'
import type { Opened, Page } from './app/page-list.ts'
import { Shell } from './app/shell.tsx'
import { setWindowTitle } from './app/window-title.ts'
import { ChatContext } from './features/chat/client.ts'
import { ClusterContext } from './features/cluster/store.ts'
import { LocationProvider, navigate, useLocation } from './lib/location.tsx'
import type { Params } from './lib/match-path.ts'
import { useValue } from './lib/use-value.ts'
import { ChatPage } from './pages/chat/page.tsx'
import { pages } from './pages.ts'

const SignIn = later(() => import('./app/sign-in.tsx').then((page) => page.SignIn))
const PasswordAgain = later(() => import('./app/password-again.tsx').then((part) => part.PasswordAgain))
const NoPage = later(() => import('./app/no-page.tsx').then((page) => page.NoPage))
const components = new Map<Page, ComponentType<Params>>(
  pages.all.map((page) => [page, page.load === undefined ? ChatPage : later(page.load)]),
)
loadLater()
// Changing only the fragment of an open page's URL loads nothing, so reload if the new URL is an invitation or reset link.
addEventListener('hashchange', () => pages.at(location)?.page.alone === 'anybody' && location.reload())

export const App = () => (
  <PagesContext value={pages}>
    <LocationProvider>
      <Framed />
    </LocationProvider>
  </PagesContext>
)

/** The open page in its frame, or the sign-in. */
function Framed() {
  const person = useValue(signedIn)
  const here = useHere()
  const alone = here?.page.alone
  if (alone !== 'anybody' && person === undefined) {
    return (
      <Part>
        <Suspense fallback={null}>
          <SignIn />
        </Suspense>
      </Part>
    )
  }
  if (here !== undefined && alone !== undefined) {
    return (
      <Part>
        <Suspense fallback={null}>
          <Alone {...here} />
        </Suspense>
        <Asked />
      </Part>
    )
  }
  return (
    <ChatContext value={live.chat}>
      <ClusterContext value={live.cluster}>
        <Shell key={person?.id}>
          <Suspense fallback={<div className="page" aria-busy="true" />}>
            <PageHere />
          </Suspense>
        </Shell>
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

/** A page without the shell. */
function Alone({ page, params }: Opened) {
  useEffect(() => setWindowTitle(page.title), [page])
  return <Component page={page} params={params} />
}

function PageHere() {
  const { pathname, search, hash } = useLocation()
  const here = useHere()
  // The browser is back from linking an account, but the server no longer knows of that request. The settings page says what went wrong.
  if (here?.page.path === '/' && search === '?from=elsewhere') return <Redirect to="/settings/people?from=elsewhere" />
  if (here !== undefined) return <Component {...here} />
  const now = pages.formerlyAt(pathname)
  return now === undefined ? <NoPage /> : <Redirect to={now.path + search + hash} />
}

function Component({ page, params }: Opened) {
  const Found = components.get(page) ?? NoPage
  return <Found key={Object.values(params).join('/')} {...params} />
}

function Redirect({ to }: { to: string }) {
  useEffect(() => navigate(to, { replace: true }), [to])
  return null
}
