import { useConfirmations } from '../api/confirmations.ts'
import { ClusterPanel } from '../features/cluster/panel.tsx'
import { Tray } from '../features/confirmations/tray.tsx'
import { useLocation } from '../lib/location.tsx'
import { PanelHead } from '../ui/panel-head.tsx'
import { useGhosts, useTitleOf } from './waiting.tsx'

/** The cluster beside the chat, with cards of other sessions on top. */
export function Side() {
  const { pathname } = useLocation()
  const waiting = useConfirmations()?.pending ?? []
  const titleOf = useTitleOf()
  // Do not list a card that the chat shows already.
  const others = waiting.filter((row) => !pathname.endsWith(`/${row.sessionId}`))
  const tray = others.length > 0 && (
    <>
      <PanelHead title={others.length === waiting.length ? 'Waiting for you' : 'Also waiting'} />
      <Tray rows={others} titleOf={titleOf} />
    </>
  )
  return <ClusterPanel ghosts={useGhosts()} tray={tray} />
}
