import type { RunListener, WaitingCards } from '../ports.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { TranscriptStore } from '../sessions/transcript-store.ts'

/** Turns rehearsal on and off. */
export class Rehearsing {
  readonly #store: Pick<TranscriptStore, 'setRehearsal' | 'atomically'>
  readonly #live: Pick<LiveSessions, 'stored' | 'get'>
  readonly #cards: Pick<WaitingCards, 'pending' | 'cancel'>
  readonly #listener: Pick<RunListener, 'rehearsal' | 'changed'>

  constructor(parts: {
    store: Pick<TranscriptStore, 'setRehearsal' | 'atomically'>
    live: Pick<LiveSessions, 'stored' | 'get'>
    cards: Pick<WaitingCards, 'pending' | 'cancel'>
    listener: Pick<RunListener, 'rehearsal' | 'changed'>
  }) {
    this.#store = parts.store
    this.#live = parts.live
    this.#cards = parts.cards
    this.#listener = parts.listener
  }

  /** Stores and journals the change, within the caller's transaction. */
  keep(sessionId: string, isRehearsal: boolean, by: string): void {
    this.#store.setRehearsal(sessionId, isRehearsal)
    this.#listener.rehearsal({ sessionId, isRehearsal, by })
  }

  /** Turns rehearsal on or off. @throws JarvisError `unknown_session` */
  set(sessionId: string, isRehearsal: boolean, by: string): void {
    if (this.#live.stored(sessionId).isRehearsal === isRehearsal) return
    // Withdraws waiting cards first, so that after a failure in between no approved call can still run.
    if (isRehearsal)
      for (const { toolUseId } of this.#cards.pending(sessionId)) this.#cards.cancel(toolUseId, by, 'Rehearsal began.')
    this.#store.atomically(() => this.keep(sessionId, isRehearsal, by))
    const session = this.#live.get(sessionId)
    if (session !== undefined) {
      session.isRehearsal = isRehearsal
      const [runId = ''] = session.runs.keys()
      session.emit(runId, 'chat:rehearsal', { isRehearsal, by })
    }
    this.#listener.changed(sessionId)
  }
}
