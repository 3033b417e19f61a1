/** Runs calls that share a lock one after the other. A run and its child runs use the same locks. */
export class CallLocks {
  readonly #last = new Map<string, Promise<void>>()

  /** Settles when all earlier calls with one of these locks are over; undefined if there are none. */
  after(locks: readonly string[]): Promise<unknown> | undefined {
    const earlier = locks.flatMap((lock) => this.#last.get(lock) ?? [])
    return earlier.length === 0 ? undefined : Promise.all(earlier)
  }

  /** Holds the locks until `settled` settles. Later calls may begin even if it rejects. */
  hold(locks: readonly string[], settled: Promise<void>): void {
    const isOver = settled.catch(() => {})
    for (const lock of locks) this.#last.set(lock, isOver)
    void isOver.then(() => {
      for (const lock of locks) if (this.#last.get(lock) === isOver) this.#last.delete(lock)
    })
  }
}
