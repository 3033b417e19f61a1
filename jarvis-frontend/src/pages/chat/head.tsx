import { Suspense } from 'react'
import { later, opensSession } from '../../app/later.tsx'
import { PageHead } from '../../app/page-head.tsx'
import { usePanel } from '../../app/panel-context.ts'
import type { SessionState } from '../../features/chat/store.ts'
import { PanelToggle } from '../../features/cluster/panel-toggle.tsx'
import { shortModel } from '../../lib/format.ts'
import { navigate, useLocation } from '../../lib/location.tsx'
import { phone, useMedia } from '../../ui/use-media.ts'
import { tokensOf } from './tokens-of.ts'

const SessionHead = later(() => import('./session-head.tsx').then((part) => part.SessionHead), opensSession)

type HeadProps = {
  sessionId: string | undefined
  state: SessionState
  isRehearsal: boolean
  /** The model that a phone offers to change; undefined: it may not be changed. */
  model: string | undefined
  onModel: () => void
}

/** The head of the page, with the switch of the context panel. */
export function Head({ sessionId, state: { view, missing }, isRehearsal, model, onModel }: HeadProps) {
  const panel = usePanel()
  const toggle = !useMedia(phone) && <PanelToggle isOpen={panel.isOpen} onToggle={panel.toggle} />
  const { pathname } = useLocation()
  // The composer of a phone has no room for it.
  const modelAct = model !== undefined && (
    <button
      type="button"
      className="button"
      onClick={() => {
        onModel()
        // Leads nowhere else, and so closes the menu alone.
        navigate(pathname, { replace: true })
      }}
    >
      Model: {shortModel(model)}
    </button>
  )
  if (sessionId === undefined || view === undefined) {
    const title = sessionId === undefined ? 'New chat' : missing ? 'No such session' : 'Chat'
    return (
      <PageHead title={title} phoneActs={sessionId === undefined && modelAct}>
        <span className="flex-1" />
        {toggle}
      </PageHead>
    )
  }
  return (
    <Suspense fallback={<PageHead title={view.title} detail={tokensOf(view)} />}>
      <SessionHead
        sessionId={sessionId}
        title={view.title}
        isRehearsal={isRehearsal}
        agent={view.agent}
        branchedFrom={view.branchedFrom}
        detail={tokensOf(view)}
        phoneActs={modelAct}
      >
        {toggle}
      </SessionHead>
    </Suspense>
  )
}
