import { Suspense } from 'react'
import { useConfirmations } from '../api/confirmations.ts'
import { ClusterPanel } from '../features/cluster/panel.tsx'
import { useLocation } from '../lib/location.tsx'
import { PanelHead } from '../ui/panel-head.tsx'
import { useGhosts } from './ghosts.ts'
import { later } from './later.tsx'
import { useTitleOf } from './waiting.tsx'

const Tray = later(() => import('../features/confirmations/tray.tsx').then((part) => part.Tray))

/** The cluster beside the chat, with cards of other sessions on top. */
export function Side() {
  const { pathname } = useLocation()
  const waiting = useConfirmations()?.pending ?? []
  const titleOf = useTitleOf()
  // Do not list a card that the chat shows already.
  const others = waiting.filter((row) => !pathname.endsWith(`/${row.sessionId}`))
  const tray = others.length > 0 && (
    <Suspense fallback={null}>
      <PanelHead title={others.length === waiting.length ? 'Waiting for you' : 'Also waiting'} />
      <Tray rows={others} titleOf={titleOf} />
    </Suspense>
  )
  return <ClusterPanel ghosts={useGhosts()} tray={tray} />
}
