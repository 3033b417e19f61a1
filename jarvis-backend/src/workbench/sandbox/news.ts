import type { Clock } from '../../lib/clock.ts'

/** The least time between two events. */
const everyMs = 400

/**
 * Tells clients that there is more to see of the commands: once after each read of a session, and at most every 400 ms. Sessions that nobody reads
 * cause no event.
 */
export class News {
  readonly #clock: Clock
  readonly #tell: () => void
  readonly #awaited = new Set<string>()
  #toldAt = Number.NEGATIVE_INFINITY
  #cancel: (() => void) | undefined

  constructor(clock: Clock, tell: () => void) {
    this.#clock = clock
    this.#tell = tell
  }

  /** Notes that somebody reads the output of the session's commands now. */
  looked(sessionId: string): void {
    this.#awaited.add(sessionId)
  }

  /** Called when a command of the session began, printed or ended. */
  changed(sessionId: string): void {
    if (!this.#awaited.delete(sessionId) || this.#cancel !== undefined) return
    const waitMs = Math.max(0, this.#toldAt + everyMs - this.#clock.now())
    this.#cancel = this.#clock.after(waitMs, () => {
      this.#cancel = undefined
      this.#toldAt = this.#clock.now()
      this.#tell()
    })
  }

  forget(sessionId: string): void {
    this.#awaited.delete(sessionId)
  }

  stop(): void {
    this.#cancel?.()
  }
}
