import { JarvisError, type QueuedMessage } from 'protocol'
import type { LiveSession } from '../sessions/live-session.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { StoredRun, TranscriptStore } from '../sessions/transcript-store.ts'

/** The messages that wait in each session: for the run that goes on, or, after a stop, to be sent again. */
export function createQueue(store: TranscriptStore, { stored, open }: Pick<LiveSessions, 'stored' | 'open'>) {
  const listOf = (sessionId: string): QueuedMessage[] =>
    store.unfinishedRuns(sessionId).flatMap(({ status, origin, at, heldBy }) =>
      status === 'queued' && origin.kind === 'chat'
        ? [
            {
              messageId: origin.messageId,
              text: origin.text,
              by: origin.by,
              at,
              ...(origin.attachments && { attachments: [...origin.attachments] }),
              heldBy,
            },
          ]
        : [],
    )

  const tell = (session: LiveSession, runId: string) =>
    session.emit(runId, 'chat:queued', { queued: listOf(session.id) })

  /** @throws JarvisError `unknown_session`; `not_found` where the message does not wait any more */
  function require(sessionId: string, messageId: string): StoredRun {
    stored(sessionId)
    const row = store
      .unfinishedRuns(sessionId)
      .find(({ status, origin }) => status === 'queued' && origin.kind === 'chat' && origin.messageId === messageId)
    if (row === undefined)
      throw new JarvisError('not_found', 'This message is no longer queued. It was taken up or removed.')
    return row
  }

  return {
    listOf,
    /** Tells whoever watches what waits now. */
    tell,
    /** @throws JarvisError `unknown_session`; `not_found` where the message does not wait any more */
    remove(sessionId: string, messageId: string): void {
      const { id } = require(sessionId, messageId)
      store.removeQueued(id)
      tell(open(sessionId), id)
    },
    /** The queued run that begins when the one before it ends. */
    next: (sessionId: string): StoredRun | undefined =>
      store.unfinishedRuns(sessionId).find(({ status, heldBy }) => status === 'queued' && heldBy === undefined),
    /** Lets a held message wait for its turn again. @throws JarvisError as `remove`; `forbidden` where `by` did not write it */
    release(sessionId: string, messageId: string, by: string): void {
      const { id, origin } = require(sessionId, messageId)
      if (!('by' in origin) || origin.by !== by)
        throw new JarvisError(
          'forbidden',
          'Only its writer can send this message. Write one of your own, or remove it.',
        )
      store.hold(id, undefined)
      tell(open(sessionId), id)
    },
  }
}
export type Queue = ReturnType<typeof createQueue>
