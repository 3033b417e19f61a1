import type { Clock } from '../lib/clock.ts'

/** Calls `over` once the time limit has passed. Time spent in `paused` does not count. */
export class TimeLimit {
  readonly #clock: Clock
  readonly #over: () => void
  #leftMs: number
  #pauses = 0
  #since: number
  #disarm: () => void
  #hasEnded = false

  constructor(clock: Clock, ms: number, over: () => void) {
    this.#clock = clock
    this.#over = over
    this.#leftMs = ms
    this.#since = clock.now()
    this.#disarm = clock.after(ms, over)
  }

  async paused<T>(work: () => Promise<T>): Promise<T> {
    if (this.#pauses === 0) {
      this.#disarm()
      this.#leftMs -= this.#clock.now() - this.#since
    }
    this.#pauses += 1
    try {
      return await work()
    } finally {
      this.#pauses -= 1
      if (this.#pauses === 0 && !this.#hasEnded) {
        this.#since = this.#clock.now()
        this.#disarm = this.#clock.after(Math.max(0, this.#leftMs), this.#over)
      }
    }
  }

  end(): void {
    this.#hasEnded = true
    this.#disarm()
  }
}
