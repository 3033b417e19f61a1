import type { Card } from 'protocol'
import type { Clock } from '../../lib/clock.ts'

/** Interval of checks, ms: within this time the cards of a token are withdrawn after it expired or was revoked at the command line. */
const lookEveryMs = 5_000

export type AskerParts = {
  pending(): Card[]
  /** Returns why the card's principal may no longer ask; undefined if it may. */
  goneBecause(card: Card): string | undefined
  withdraw(toolUseId: string, because: string): void
  runs: { look(): void; haveOthers(): boolean }
  clock: Clock
  isStopping(): boolean
  report(error: unknown, message: string): void
}

/**
 * Withdraws waiting cards whose token or person may no longer ask, and stops their runs. Checks every 5 s while there is a waiting card or an active
 * run that belongs to a token or to a person other than the first owner.
 */
export class Askers {
  readonly #parts: AskerParts
  #disarm: (() => void) | undefined

  constructor(parts: AskerParts) {
    this.#parts = parts
  }

  /** Checks all waiting cards and runs now, for example at a start. */
  look(): void {
    const { pending, goneBecause, withdraw, runs } = this.#parts
    for (const card of pending()) {
      const because = goneBecause(card)
      if (because !== undefined) withdraw(card.toolUseId, because)
    }
    // Called after the cards were withdrawn with a reason: a run that ends withdraws its cards without one.
    runs.look()
    this.arm()
  }

  /** Starts the regular checks. Call it when a card was made or a run has begun. */
  arm(): void {
    const { runs, clock, isStopping, report } = this.#parts
    if (this.#disarm !== undefined || isStopping()) return
    if (!runs.haveOthers() && !this.#haveCards()) return
    this.#disarm = clock.after(lookEveryMs, () => {
      this.#disarm = undefined
      if (isStopping()) return
      try {
        this.look()
      } catch (error) {
        report(error, 'what ended tokens and people asked for could not be stopped')
        this.arm()
      }
    })
  }

  stop(): void {
    this.#disarm?.()
    this.#disarm = undefined
  }

  #haveCards(): boolean {
    return this.#parts
      .pending()
      .some(({ requestedBy: { token, person } }) => token !== undefined || person !== undefined)
  }
}
