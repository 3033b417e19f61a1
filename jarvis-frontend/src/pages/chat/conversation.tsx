import { Suspense } from 'react'
import { later, opensSession } from '../../app/later.tsx'
import { StreamSkeleton } from '../../features/chat/message.tsx'
import type { SessionState, SessionStore } from '../../features/chat/store.ts'
import { navigate } from '../../lib/location.tsx'

const SessionStream = later(() => import('./session-stream.tsx').then((part) => part.SessionStream), opensSession)
const Missing = later(() => import('./missing.tsx').then((part) => part.Missing))
const ContextPanel = later(() => import('../../app/context/panel.tsx').then((part) => part.ContextPanel))

type ConversationProps = {
  store: SessionStore
  state: SessionState
  sessionId: string
  /** True if the context stands in its place. */
  isContext: boolean
  canSend: boolean
  send: (text: string, requestId?: string) => Promise<void>
  at: { seq: number; key: string } | undefined
}

/** The text of a session, or what stands in its place: the context on a phone, or that there is no such session. */
export function Conversation({ isContext, send, ...shown }: ConversationProps) {
  const { sessionId, state } = shown
  const missing = state.missing && (
    <Suspense fallback={null}>
      <Missing sessionId={sessionId} />
    </Suspense>
  )
  if (isContext) {
    return (
      <>
        {missing}
        <div className="page scroll">
          <Suspense fallback={null}>
            <ContextPanel sessionId={sessionId} onClose={() => navigate(`/chat/${sessionId}`)} />
          </Suspense>
        </div>
      </>
    )
  }
  if (state.missing) return missing
  const waiting = (
    <section className="stream scroll">
      <div className="stream-column">
        <StreamSkeleton />
      </div>
    </section>
  )
  return (
    <Suspense fallback={waiting}>
      <SessionStream {...shown} onSend={(text, requestId) => void send(text, requestId)} />
    </Suspense>
  )
}
