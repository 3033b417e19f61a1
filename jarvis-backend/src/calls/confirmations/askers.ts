import type { Card } from 'protocol'
import type { Clock } from '../../lib/clock.ts'

/** How soon a token that expired, or was revoked at the command line, takes its cards along, ms. */
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
 * Withdraws waiting cards whose token or person is gone, and stops their runs. Looks every 5 s while a card waits, or a run goes on, of a
 * token or of another person than the first owner.
 */
export class Askers {
  readonly #parts: AskerParts
  #disarm: (() => void) | undefined

  constructor(parts: AskerParts) {
    this.#parts = parts
  }

  /** Looks now, as at a start. */
  look(): void {
    const { pending, goneBecause, withdraw, runs } = this.#parts
    for (const card of pending()) {
      const because = goneBecause(card)
      if (because !== undefined) withdraw(card.toolUseId, because)
    }
    // A run that ends withdraws its cards without saying why.
    runs.look()
    this.arm()
  }

  /** Looks from now on, because a card may have been made or a run begun. */
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
