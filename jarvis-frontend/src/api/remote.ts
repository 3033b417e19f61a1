import { useEffect } from 'react'
import { useValue } from '../lib/use-value.ts'
import { Value } from '../lib/value.ts'

const againAfterMs = 5_000

/** A value of the server. It is read on first use and after each reported change. While the server is unreachable, the last good answer stays. */
export class Remote<T> {
  readonly value = new Value<T | undefined>(undefined)
  readonly #read: () => Promise<T>
  #isWanted = false
  #isReading = false
  #isStale = true
  /** Incremented at each sign-out, so that an answer for an earlier person is dropped. */
  #owner = 0

  constructor(read: () => Promise<T>) {
    this.#read = read
  }

  want(): void {
    this.#isWanted = true
    void this.#renew()
  }

  /** Marks the value as stale. Reads it at once if a component uses it, otherwise on the next use. */
  renew(): void {
    this.#isStale = true
    if (this.#isWanted) void this.#renew()
  }

  forget(): void {
    this.#owner += 1
    this.#isStale = true
    this.#isWanted = false
    this.value.set(undefined)
  }

  async #renew(): Promise<void> {
    if (this.#isReading || !this.#isStale) return
    this.#isReading = true
    this.#isStale = false
    const owner = this.#owner
    try {
      const read = await this.#read()
      if (owner === this.#owner) this.value.set(read)
    } catch (error) {
      this.#isStale = true
      // Do not retry: the server refuses until the person's role changes, and then the page connects again.
      if ((error as { code?: unknown }).code === 'forbidden') return
      setTimeout(() => {
        if (owner === this.#owner && this.#isWanted) void this.#renew()
      }, againAfterMs)
      return
    } finally {
      this.#isReading = false
    }
    // The value changed on the server while it was read, so read it again.
    if (this.#isStale && this.#isWanted) void this.#renew()
  }
}

export function useRemote<T>(remote: Remote<T>): T | undefined {
  useEffect(() => remote.want(), [remote])
  return useValue(remote.value)
}
