/** Time limit for a browser's answer, ms. */
export const heldForMs = 5 * 60_000
const mostHeld = 2_000

/**
 * Holds values in memory under keys that cannot be guessed. Each value can be taken once, within five minutes. If there are too many, the oldest are
 * dropped.
 */
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

  /** Removes and returns a value. @returns undefined if the value was taken before, or its time is over */
  take(key: string): T | undefined {
    const found = this.#held.get(key)
    this.#held.delete(key)
    return found !== undefined && found.until > this.#now() ? found.value : undefined
  }
}
