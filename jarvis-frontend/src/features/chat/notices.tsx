import type { QueuedMessage } from 'protocol'
import { plural, withUnit } from '../../lib/format.ts'
import { Visible } from '../../ui/boxed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Turning } from '../../ui/tier.tsx'
import { useNow } from '../../ui/use-now.ts'
import type { SessionView } from './state.ts'

type QueueProps = {
  queued: readonly QueuedMessage[]
  /** The number of cards that wait for a decision. */
  waiting: number
  /** The person who may edit their own messages here; undefined: this person may only read. */
  writer: string | undefined
  onEdit: (message: QueuedMessage) => void
  onRemove: (message: QueuedMessage) => void
  onSend: (message: QueuedMessage) => void
}

/** Shows queued messages in order, and messages that were held back when a run was stopped. */
export function Queue({ queued, waiting, writer, onEdit, onRemove, onSend }: QueueProps) {
  const after = waiting > 0 ? `After your ${waiting === 1 ? 'decision' : `${waiting} decisions`}` : 'Next'
  const next = queued.find(({ heldBy }) => heldBy === undefined)
  return queued.map((message) => (
    <div key={message.messageId} className="queued">
      <Icon name="clock" />
      {message.heldBy === undefined ? (
        <span className="when">{message === next ? after : 'Then'}</span>
      ) : (
        <b className="held">Held, not sent</b>
      )}
      <span className="cut text-ink">{message.text}</span>
      {message.attachments !== undefined && <small>{plural(message.attachments.length, 'file')}</small>}
      {message.heldBy !== undefined && writer === message.by && (
        <button type="button" className="button small" onClick={() => onSend(message)}>
          Send now
        </button>
      )}
      {writer !== undefined && (
        <>
          <button
            type="button"
            className="icon-button"
            aria-label="Edit what is queued"
            onClick={() => onEdit(message)}
          >
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
        </>
      )}
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
