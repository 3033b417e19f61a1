import Sqlite from 'better-sqlite3'
import { JarvisError } from 'protocol'
import { toStorageFailure } from './storage-failure.ts'

/** How long a write that waited for nothing before may block the thread, ms: other processes write for an instant now and then. */
const blocksMs = 250
/** How often it is tried whether the lock is free, ms. */
const lookEveryMs = 50
/** How long what can be refused waits, ms. */
const patienceMs = 60_000

type Waiting = { resolve(): void; reject(error: unknown): void; until: number }

/** Knows whether another process holds the write lock of a database, and lets work wait for it off the thread. */
export type Held = {
  /** True if another process holds the database now. Waits for nothing. */
  isHeld(): boolean
  /**
   * Called at a door, before work that writes begins, and again after it awaited something.
   * @param forever waits as long as the lock is held, for what must be stored and cannot be refused
   * @returns undefined where it can be written now; else a promise that resolves then
   * @throws JarvisError `storage_failed` (rejects) where the lock is held for longer than a minute
   */
  untilFree(forever?: 'forever'): Promise<void> | undefined
  /** Told of a write's failure. @returns what `toStorageFailure` makes of it */
  failed(error: unknown): unknown
  /** Lets nothing wait any more: what waits fails with `shutting_down`, and later writes fail where the lock is held. */
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

/** @param sql the connection that writes: while the lock is held, its writes fail at once and do not block the thread */
export function createHeld(path: string, sql: Sqlite.Database): Held {
  const probe = new Sqlite(path, { timeout: 0, fileMustExist: true })
  const waiting = new Set<Waiting>()
  let looking: NodeJS.Timeout | undefined
  let isEnding = false
  block(blocksMs)

  function block(ms: number) {
    if (sql.open) sql.pragma(`busy_timeout = ${ms}`)
  }
  function tried(): unknown {
    try {
      probe.exec('BEGIN IMMEDIATE; ROLLBACK')
      return undefined
    } catch (error) {
      return error
    }
  }
  function hold() {
    if (looking !== undefined) return
    block(0)
    looking = setInterval(look, lookEveryMs)
    looking.unref()
  }
  function look() {
    const error = tried()
    if (isBusy(error)) {
      for (const one of waiting) if (one.until <= performance.now()) end(one, error)
      return
    }
    free()
  }
  function free() {
    clearInterval(looking)
    looking = undefined
    block(blocksMs)
    for (const one of waiting) end(one)
  }
  function end(one: Waiting, error?: unknown) {
    waiting.delete(one)
    if (error === undefined) one.resolve()
    else one.reject(toStorageFailure(error))
  }
  function isHeld(): boolean {
    // A transaction of this process holds it itself.
    if (!probe.open || sql.inTransaction) return false
    if (isBusy(tried())) {
      hold()
      return true
    }
    if (looking !== undefined) free()
    return false
  }
  return {
    isHeld,
    untilFree(forever) {
      if (isEnding) return undefined
      const waited = waiting.size
      // Work that waits already goes first.
      if (!isHeld()) return waited > 0 ? Promise.resolve() : undefined
      const until = forever === undefined ? performance.now() + patienceMs : Number.POSITIVE_INFINITY
      return new Promise((resolve, reject) => waiting.add({ resolve, reject, until }))
    },
    failed(error) {
      if (isBusy(error)) hold()
      return toStorageFailure(error)
    },
    waitNoMore() {
      isEnding = true
      const late = new JarvisError('shutting_down', 'JARVIS is shutting down. Send it again in a moment.')
      for (const { reject } of waiting) reject(late)
      waiting.clear()
    },
    close() {
      clearInterval(looking)
      probe.close()
    },
  }
}
