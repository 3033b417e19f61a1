/** How long a browser has for one answer, ms. */
export const heldForMs = 5 * 60_000
const mostHeld = 2_000

/** Values in memory that are taken once, within five minutes, by a key that cannot be guessed. A flood drops the oldest. */
export class Held<T> {
  readonly #now: () => number
  readonly #held = new Map<string, { value: T; until: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  hold(key: string, value: T): void {
    this.#held.set(key, { value, until: this.#now() + heldForMs })
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= mostHeld) break
      this.#held.delete(oldest)
    }
  }

  /** @returns undefined if the value was taken before, or its time is over */
  take(key: string): T | undefined {
    const found = this.#held.get(key)
    this.#held.delete(key)
    return found !== undefined && found.until > this.#now() ? found.value : undefined
  }
}
