import { Suspense, useMemo } from 'react'
import { useWaiting } from '../api/waiting.ts'
import { ClusterPanel } from '../features/cluster/panel.tsx'
import { useValue } from '../lib/use-value.ts'
import { PanelHead } from '../ui/panel-head.tsx'
import { contextOf } from './context/open.ts'
import { useGhosts } from './ghosts.ts'
import { useHere } from './here.ts'
import { later } from './later.tsx'
import { live } from './live.ts'
import { useTitleOf } from './waiting.tsx'

const ContextPanel = later(() => import('./context/panel.tsx').then((part) => part.ContextPanel))
const Todo = later(() => import('../pages/chat/todo.tsx').then((part) => part.Todo))
const Tray = later(() => import('./tray.tsx').then((part) => part.Tray))

/** The panel beside the chat: the cluster, with everything that waits in other sessions on top. */
export function Side() {
  const sessionId = useHere()?.params.sessionId
  const waiting = useWaiting()
  const titleOf = useTitleOf()
  // Leave out what the chat already shows.
  const isElsewhere = (one: { sessionId?: string | undefined }) => one.sessionId !== sessionId
  const asks = waiting.asks.filter(isElsewhere)
  const changes = waiting.changes.filter(isElsewhere)
  const others = asks.length + changes.length
  const context = useValue(contextOf)
  const ghosts = useGhosts()
  const tray = others > 0 && (
    <Suspense fallback={null}>
      <PanelHead title={others === waiting.count ? 'Waiting for you' : 'Also waiting'} />
      <Tray asks={asks} changes={changes} titleOf={titleOf} />
    </Suspense>
  )
  const above = (
    <>
      {sessionId !== undefined && <TodoHere key={sessionId} sessionId={sessionId} />}
      {tray}
    </>
  )
  if (context !== undefined && context === sessionId) {
    return (
      <Suspense fallback={null}>
        {above}
        <ContextPanel key={context} sessionId={context} onClose={() => contextOf.set(undefined)} />
      </Suspense>
    )
  }
  return <ClusterPanel ghosts={ghosts} tray={above} />
}

/** The model's to-do list in the session of the chat. */
function TodoHere({ sessionId }: { sessionId: string }) {
  const { view } = useValue(useMemo(() => live.chat.open(sessionId).calm, [sessionId]))
  if (view === undefined || view.todo.length === 0) return null
  return (
    <Suspense fallback={null}>
      <Todo items={view.todo} />
    </Suspense>
  )
}
