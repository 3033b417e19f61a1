import type { Card } from 'protocol'
import type { Clock } from '../../lib/clock.ts'

/** How soon a token that expired, or was revoked at the command line, takes its cards along, ms. */
const lookEveryMs = 5_000

/**
 * Withdraws waiting cards whose token or person is gone, and stops runs of such. It looks every 5 s while a card waits, or a run goes on, of a token
 * or of another person than the first owner.
 */
export function createAskers(parts: {
  pending(): Card[]
  /** Why the card's principal may no longer ask; undefined where it may. */
  goneBecause(card: Card): string | undefined
  withdraw(toolUseId: string, because: string): void
  runs: { look(): void; haveOthers(): boolean }
  clock: Clock
  isStopping(): boolean
  report(error: unknown, message: string): void
}) {
  let disarm: (() => void) | undefined

  function look() {
    for (const card of parts.pending()) {
      const because = parts.goneBecause(card)
      if (because !== undefined) parts.withdraw(card.toolUseId, because)
    }
    // A run that ends withdraws its cards without saying why.
    parts.runs.look()
    arm()
  }
  function arm() {
    if (disarm !== undefined || parts.isStopping()) return
    const haveCards = () =>
      parts.pending().some(({ requestedBy: { token, person } }) => token !== undefined || person !== undefined)
    if (!parts.runs.haveOthers() && !haveCards()) return
    disarm = parts.clock.after(lookEveryMs, () => {
      disarm = undefined
      if (parts.isStopping()) return
      try {
        look()
      } catch (error) {
        parts.report(error, 'what ended tokens and people asked for could not be stopped')
        arm()
      }
    })
  }

  return {
    /** Looks now, as at a start. */
    look,
    /** Looks from now on: a card may have been made, or a run begun. */
    arm,
    stop() {
      disarm?.()
      disarm = undefined
    },
  }
}
