import Sqlite from 'better-sqlite3'
import { JarvisError } from 'protocol'
import { onceATick } from '../../lib/once-a-tick.ts'
import { toStorageFailure } from './storage-failure.ts'

/** Time that a write may block the thread while no process was seen to hold the lock, ms. Other processes write only for an instant now and then. */
const blocksMs = 250
/** Time between two tries if the lock is free, ms. */
const lookEveryMs = 50
/** Time that work which may be refused waits for the lock, ms. */
const patienceMs = 60_000

type Waiting = { resolve(): void; reject(error: unknown): void; until: number }

/** Knows if another process holds the write lock of a database, and lets work wait for the lock without blocking the thread. */
export interface Held {
  /** True if another process holds the write lock. Does not wait. It looks once in each turn of the event loop. */
  isHeld(): boolean
  /**
   * Called at a door before work that writes begins, and again after that work has awaited something. @param forever waits for as long as the lock
   * is held: for data that must be stored and cannot be refused @returns undefined if a write is possible now; otherwise a promise that resolves
   * once it is @throws JarvisError `storage_failed` (rejects) if the lock is held for longer than a minute
   */
  untilFree(forever?: 'forever'): Promise<void> | undefined
  /** Called with the failure of a write. @returns the error that `toStorageFailure` makes of it */
  failed(error: unknown): unknown
  /** Ends all waiting: waiting work fails with `shutting_down`, and later writes fail if the lock is held. */
  waitNoMore(): void
  close(): void
}

/** For a database that only this process opens. */
export const neverHeld: Held = {
  isHeld: () => false,
  untilFree: () => undefined,
  failed: toStorageFailure,
  waitNoMore() {},
  close() {},
}

export const isBusy = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError
    ? error.code.startsWith('SQLITE_BUSY')
    : error instanceof JarvisError && error.cause instanceof Sqlite.SqliteError && isBusy(error.cause)

/** Watches the write lock of a database that other processes may open too. */
export class WatchedLock implements Held {
  readonly #sql: Sqlite.Database
  readonly #probe: Sqlite.Database
  readonly #waiting = new Set<Waiting>()
  readonly #lock = onceATick(() => this.#tried())
  #looking: NodeJS.Timeout | undefined
  #isEnding = false

  /** @param sql the connection that writes. While another process holds the lock, its writes fail at once instead of blocking the thread */
  constructor(path: string, sql: Sqlite.Database) {
    this.#sql = sql
    this.#probe = new Sqlite(path, { timeout: 0, fileMustExist: true })
    this.#block(blocksMs)
  }

  isHeld(): boolean {
    // In a transaction this process itself holds the lock.
    if (!this.#probe.open || this.#sql.inTransaction) return false
    if (isBusy(this.#lock.get())) {
      this.#hold()
      return true
    }
    if (this.#looking !== undefined) this.#free()
    return false
  }

  untilFree(forever?: 'forever'): Promise<void> | undefined {
    if (this.#isEnding) return undefined
    const waited = this.#waiting.size
    // Work that already waits goes first.
    if (!this.isHeld()) return waited > 0 ? Promise.resolve() : undefined
    const until = forever === undefined ? performance.now() + patienceMs : Number.POSITIVE_INFINITY
    return new Promise((resolve, reject) => this.#waiting.add({ resolve, reject, until }))
  }

  failed(error: unknown): unknown {
    if (isBusy(error)) {
      this.#lock.forget()
      this.#hold()
    }
    return toStorageFailure(error)
  }

  waitNoMore(): void {
    this.#isEnding = true
    const late = new JarvisError('shutting_down', 'JARVIS is shutting down. Send it again in a moment.')
    for (const { reject } of this.#waiting) reject(late)
    this.#waiting.clear()
  }

  close(): void {
    clearInterval(this.#looking)
    this.#probe.close()
  }

  #block(ms: number): void {
    if (this.#sql.open) this.#sql.pragma(`busy_timeout = ${ms}`)
  }

  #tried(): unknown {
    try {
      this.#probe.exec('BEGIN IMMEDIATE; ROLLBACK')
      return undefined
    } catch (error) {
      return error
    }
  }

  #hold(): void {
    if (this.#looking !== undefined) return
    this.#block(0)
    this.#looking = setInterval(() => this.#look(), lookEveryMs)
    this.#looking.unref()
  }

  #look(): void {
    const error = this.#tried()
    if (isBusy(error)) {
      for (const one of this.#waiting) if (one.until <= performance.now()) this.#end(one, error)
      return
    }
    this.#free()
  }

  #free(): void {
    clearInterval(this.#looking)
    this.#looking = undefined
    this.#block(blocksMs)
    for (const one of this.#waiting) this.#end(one)
  }

  #end(one: Waiting, error?: unknown): void {
    this.#waiting.delete(one)
    if (error === undefined) one.resolve()
    else one.reject(toStorageFailure(error))
  }
}
