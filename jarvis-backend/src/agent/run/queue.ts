import { JarvisError, type QueuedMessage } from 'protocol'
import type { LiveSession } from '../sessions/live-session.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { StoredRun, TranscriptStore } from '../sessions/transcript-store.ts'

/** The queued messages of each session. A message waits until the run in progress ends; after a stop it is held until its writer sends it again. */
export class Queue {
  readonly #store: Pick<TranscriptStore, 'unfinishedRuns' | 'removeQueued' | 'hold'>
  readonly #live: Pick<LiveSessions, 'stored' | 'open'>

  constructor(
    store: Pick<TranscriptStore, 'unfinishedRuns' | 'removeQueued' | 'hold'>,
    live: Pick<LiveSessions, 'stored' | 'open'>,
  ) {
    this.#store = store
    this.#live = live
  }

  list(sessionId: string): QueuedMessage[] {
    return this.#store.unfinishedRuns(sessionId).flatMap(({ status, origin, at, heldBy }) => {
      if (status !== 'queued' || origin.kind !== 'chat') return []
      const { messageId, text, by, attachments } = origin
      return [{ messageId, text, by, at, attachments: attachments && [...attachments], heldBy }]
    })
  }

  /** Tells watchers which messages are queued now. */
  tell(session: Pick<LiveSession, 'id' | 'emit'>, runId: string): void {
    session.emit(runId, 'chat:queued', { queued: this.list(session.id) })
  }

  /** Removes a queued message. @throws JarvisError `unknown_session`; `not_found` if the message is no longer queued */
  remove(sessionId: string, messageId: string): void {
    const { id } = this.#require(sessionId, messageId)
    this.#store.removeQueued(id)
    this.tell(this.#live.open(sessionId), id)
  }

  /** Returns the queued run that begins next, when the current run ends. */
  next(sessionId: string): StoredRun | undefined {
    return this.#store
      .unfinishedRuns(sessionId)
      .find(({ status, heldBy }) => status === 'queued' && heldBy === undefined)
  }

  /** Ends the hold of a message, so that it is queued again. @throws JarvisError as `remove`; `forbidden` if `by` did not write it */
  release(sessionId: string, messageId: string, by: string): void {
    const { id, origin } = this.#require(sessionId, messageId)
    if (!('by' in origin) || origin.by !== by)
      throw new JarvisError('forbidden', 'Only its writer can send this message. Write one of your own, or remove it.')
    this.#store.hold(id, undefined)
    this.tell(this.#live.open(sessionId), id)
  }

  #require(sessionId: string, messageId: string): StoredRun {
    this.#live.stored(sessionId)
    const row = this.#store
      .unfinishedRuns(sessionId)
      .find(({ status, origin }) => status === 'queued' && origin.kind === 'chat' && origin.messageId === messageId)
    if (row === undefined)
      throw new JarvisError('not_found', 'This message is no longer queued. It was taken up or removed.')
    return row
  }
}
