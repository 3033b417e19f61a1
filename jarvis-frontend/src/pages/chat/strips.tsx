import type { QueuedMessage } from 'protocol'
import { Suspense } from 'react'
import { sessions, setRehearsal } from '../../api/sessions.ts'
import { say } from '../../app/announce.tsx'
import { later } from '../../app/later.tsx'
import { live } from '../../app/live.ts'
import { usePanel } from '../../app/panel-context.ts'
import type { SessionView } from '../../features/chat/state.ts'
import { useValue } from '../../lib/use-value.ts'
import { phone, useMedia } from '../../ui/use-media.ts'
import { DenyAllHere } from './deny-all-here.tsx'
import type { useSending } from './use-sending.ts'

const notices = () => import('../../features/chat/notices.tsx')
const Notice = later(() => notices().then((part) => part.Notice))
const Queue = later(() => notices().then((part) => part.Queue))
const Rehearsal = later(() => notices().then((part) => part.Rehearsal))
const Attach = later(() => import('../../features/chat/attach.tsx').then((part) => part.Attach))
const Todo = later(() => import('./todo.tsx').then((part) => part.Todo))

type StripsProps = Pick<ReturnType<typeof useSending>, 'attached' | 'putDraft'> & {
  sessionId: string | undefined
  view: SessionView | undefined
  isRehearsal: boolean
  /** The words for what a second Escape withdraws. */
  warned: string | undefined
  /** The person who writes here; undefined: this person may not. */
  writer: string | undefined
  draftKey: string
}

/** The lines above the composer's field. */
export function Strips({ sessionId, view, isRehearsal, warned, writer, draftKey, attached, putDraft }: StripsProps) {
  const isPhone = useMedia(phone)
  const panel = usePanel()
  const isLive = useValue(live.link.value).status === 'live'
  const canEnd = writer !== undefined && sessionId !== undefined
  const onEdit = (message: QueuedMessage) => {
    attached.current?.take(message.attachments ?? [])
    putDraft(message.text)
  }
  return (
    <Suspense fallback={null}>
      {isRehearsal && <Rehearsal onEnd={canEnd ? () => void endRehearsal(sessionId) : undefined} />}
      {view !== undefined && view.todo.length > 0 && (isPhone || !panel.isOpen) && <Todo items={view.todo} isFolded />}
      {view?.notice !== undefined && <Notice notice={view.notice} isAtWork={view.runId !== undefined} />}
      {writer !== undefined && (
        <Attach
          draftKey={draftKey}
          onReady={(files) => {
            attached.current = files
          }}
        />
      )}
      {warned !== undefined && (
        <p className="strip wash-warn" role="alert">
          <span>
            Press <kbd>Esc</kbd> again to stop the answer and withdraw {warned}.
          </span>
        </p>
      )}
      {sessionId !== undefined && <DenyAllHere sessionId={sessionId} />}
      {view !== undefined && sessionId !== undefined && view.queued.length > 0 && (
        <Queued sessionId={sessionId} view={view} onEdit={onEdit} writer={isLive ? writer : undefined} />
      )}
    </Suspense>
  )
}

type QueuedProps = {
  sessionId: string
  view: SessionView
  onEdit: (message: QueuedMessage) => void
  writer: string | undefined
}

/** The messages that wait for the end of the answer. */
function Queued({ sessionId, view, onEdit, writer }: QueuedProps) {
  const remove = (message: QueuedMessage) => live.chat.unqueue(sessionId, message)
  const edit = async (message: QueuedMessage) => {
    if ((await remove(message)).ok) onEdit(message)
  }
  const sendHeld = async (message: QueuedMessage) => {
    const reply = await live.chat.sendHeld(sessionId, message)
    if (!reply.ok) say(reply.error.message)
  }
  return (
    <Queue
      queued={view.queued}
      waiting={view.pending.length}
      onEdit={(message) => void edit(message)}
      onRemove={(message) => void remove(message)}
      onSend={(message) => void sendHeld(message)}
      writer={writer}
    />
  )
}

async function endRehearsal(sessionId: string) {
  await setRehearsal(sessionId, false).catch((error: Error) => say(error.message))
  sessions.renew()
}
