import { Suspense, useMemo } from 'react'
import { useConfirmations } from '../api/confirmations.ts'
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
const Tray = later(() => import('../features/confirmations/tray.tsx').then((part) => part.Tray))

/** The panel beside the chat: the cluster, with cards of other sessions on top. */
export function Side() {
  const sessionId = useHere()?.params.sessionId
  const waiting = useConfirmations()?.pending ?? []
  const titleOf = useTitleOf()
  // Leave out a card that the chat already shows.
  const others = waiting.filter((row) => row.sessionId !== sessionId)
  const context = useValue(contextOf)
  const ghosts = useGhosts()
  const tray = others.length > 0 && (
    <Suspense fallback={null}>
      <PanelHead title={others.length === waiting.length ? 'Waiting for you' : 'Also waiting'} />
      <Tray rows={others} titleOf={titleOf} />
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
