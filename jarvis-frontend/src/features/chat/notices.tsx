import type { QueuedMessage } from 'jarvis-backend/protocol'
import { plural, withUnit } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Turning } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'
import type { SessionView } from './state.ts'

/** Messages that wait for their turn, in order. */
export function Queue({
  queued,
  waiting,
  onEdit,
  onRemove,
}: {
  queued: readonly QueuedMessage[]
  waiting: number
  onEdit: (message: QueuedMessage) => void
  onRemove: (message: QueuedMessage) => void
}) {
  const after = waiting > 0 ? `After your ${waiting === 1 ? 'decision' : `${waiting} decisions`}` : 'Next'
  return queued.map((message, at) => (
    <div key={message.messageId} className="queued">
      <Icon name="clock" />
      <span className="when">{at === 0 ? after : 'Then'}</span>
      <span className="cut text-ink">{message.text}</span>
      {message.attachments !== undefined && <small>{plural(message.attachments.length, 'file')}</small>}
      <button type="button" className="icon-button" aria-label="Edit what is queued" onClick={() => onEdit(message)}>
        <Icon name="pen" />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Remove it from the queue"
        onClick={() => onRemove(message)}
      >
        <Icon name="close" />
      </button>
    </div>
  ))
}

/** Notices about the run in progress, such as a retry or another model, and about the answer that has just ended. */
export function Notice({ notice, isAtWork }: { notice: NonNullable<SessionView['notice']>; isAtWork: boolean }) {
  const left = Math.ceil(((notice.retryAt ?? 0) - useNow(1_000)) / 1_000)
  return (
    <div className="strip" role="status">
      {isAtWork ? <Turning size={12} /> : <Mark kind="warn" size={12} />}
      <span>
        <Visible text={notice.message} />
        {notice.retryAt !== undefined && left > 0 && (
          <>
            {' '}
            Trying again in <span className="num">{withUnit(left, 's')}</span>.
          </>
        )}
      </span>
    </div>
  )
}

/** Says that the session is a rehearsal, in which calls that change something do not run. */
export function Rehearsal({ onEnd }: { onEnd: (() => void) | undefined }) {
  return (
    <div className="strip wash-warn" role="status">
      <Mark kind="warn" size={12} />
      <span>
        <b>Rehearsal.</b> Reads run. What would change something only says what it would do.
      </span>
      {onEnd !== undefined && (
        <button type="button" className="button small" onClick={onEnd}>
          End it
        </button>
      )}
    </div>
  )
}
