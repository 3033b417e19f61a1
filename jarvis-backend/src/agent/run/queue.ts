import { JarvisError, type QueuedMessage } from '../../protocol/index.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { TranscriptStore } from '../sessions/transcript-store.ts'

/** The messages that wait in each session for the run that goes on. */
export function createQueue(store: TranscriptStore, { stored, open }: Pick<LiveSessions, 'stored' | 'open'>) {
  const listOf = (sessionId: string): QueuedMessage[] =>
    store.unfinishedRuns(sessionId).flatMap(({ status, origin, at }) =>
      status === 'queued' && origin.kind === 'chat'
        ? [
            {
              ...{ messageId: origin.messageId, text: origin.text, by: origin.by, at },
              ...(origin.attachments && { attachments: [...origin.attachments] }),
            },
          ]
        : [],
    )

  const tell = (session: LiveSession, runId: string) =>
    session.emit(runId, 'chat:queued', { queued: listOf(session.id) })

  return {
    listOf,
    /** Tells whoever watches what waits now. */
    tell,
    /** @throws JarvisError `not_found` where the message does not wait any more */
    remove(sessionId: string, messageId: string): void {
      stored(sessionId)
      const row = store
        .unfinishedRuns(sessionId)
        .find(({ origin }) => origin.kind === 'chat' && origin.messageId === messageId)
      if (row === undefined || !store.removeQueued(row.id)) {
        throw new JarvisError('not_found', 'This message is no longer queued. It was taken up or removed.')
      }
      tell(open(sessionId), row.id)
    },
  }
}
