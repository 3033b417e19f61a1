import { type BelievedClock, createBelievedClock } from '../lib/believed-clock.ts'
import type { SteadyClock } from '../lib/steady-clock.ts'
import type { TimeNeeds } from './ports.ts'

const lookEveryMs = 5_000
const keepEveryMs = 60_000

/**
 * Detects that the machine's clock was set back or leapt ahead. If it was set back, things that had expired are expired again, because they would
 * otherwise be valid a second time. Stores the newest time in the database.
 */
export class Timekeeper {
  /** The given clock, and `believed`: the time by which old data may be deleted, Unix ms. */
  readonly clock: SteadyClock & { believed(): number }
  readonly #needs: TimeNeeds
  readonly #believed: BelievedClock
  #isLeapTold = false
  #keptAt = 0

  constructor(given: SteadyClock, needs: TimeNeeds) {
    this.#needs = needs
    this.#believed = createBelievedClock({
      now: () => given.now(),
      monotonic: given.monotonic,
      newest: needs.floor.believed(),
    })
    this.clock = { ...given, believed: this.#believed.now }
  }

  /** Compares the clock with the newest time of the database. */
  lookAtStart(): void {
    const above = this.#needs.floor.above(this.clock.now())
    if (above !== undefined) this.#wentBack(above)
    this.#lookForLeap()
    this.#needs.holdReserve()
  }

  /** Checks the clock every 5 s until the database is closed, and stores the time every minute. */
  watch(): void {
    this.#keptAt = this.clock.now()
    setTimeout(() => this.#look(), lookEveryMs).unref()
  }

  /** Returns the leap of the clock that is not believed yet, from and to, Unix ms; otherwise undefined. */
  leapt(): { from: number; to: number } | undefined {
    return this.#believed.leapt()
  }

  /** Stores the time that was reached, for the next start. */
  keep(): void {
    this.#keptAt = this.clock.now()
    this.#needs.floor.keep(this.#keptAt, this.#believed.now())
  }

  #look(): void {
    if (!this.#needs.isOpen()) return
    try {
      const reached = this.clock.reached()
      if (reached !== undefined) {
        this.clock.follow()
        this.#wentBack(reached)
        this.#needs.wentBack()
      }
      this.#lookForLeap()
      if (reached !== undefined || this.clock.now() - this.#keptAt >= keepEveryMs) {
        this.keep()
        this.#needs.holdReserve()
      }
    } catch (error) {
      this.#needs.report(error, 'the time could not be kept')
    }
    setTimeout(() => this.#look(), lookEveryMs).unref()
  }

  #wentBack(reached: number): void {
    const { floor, durably, record, log } = this.#needs
    const to = this.clock.now()
    durably(() => {
      floor.end(reached, to)
      record({ change: 'clock_set_back', by: 'jarvis', from: reached, to })
    })
    log(
      `The clock was set back from ${isoOf(reached)} to ${isoOf(to)}. Whatever had ended by then stays ended.`,
      'warning',
    )
  }

  /** Reports once that the clock leapt further than a process can have been paused. */
  #lookForLeap(): void {
    const { durably, record, log } = this.#needs
    const leap = this.#believed.leapt()
    if (leap !== undefined && !this.#isLeapTold) {
      durably(() => record({ change: 'clock_leapt', by: 'jarvis', ...leap }))
      log(
        `The clock leapt from ${isoOf(leap.from)} to ${isoOf(leap.to)}. Nothing old is deleted until it has stood for a day.`,
        'warning',
      )
    }
    this.#isLeapTold = leap !== undefined
  }
}

const isoOf = (at: number) => new Date(at).toISOString()
