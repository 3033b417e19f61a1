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
export type Held = {
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

/** @param sql the connection that writes. While another process holds the lock, its writes fail at once instead of blocking the thread */
export function createHeld(path: string, sql: Sqlite.Database): Held {
  const probe = new Sqlite(path, { timeout: 0, fileMustExist: true })
  const waiting = new Set<Waiting>()
  let looking: NodeJS.Timeout | undefined
  let isEnding = false
  const lock = onceATick(tried)
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
    // In a transaction this process itself holds the lock.
    if (!probe.open || sql.inTransaction) return false
    if (isBusy(lock.get())) {
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
      // Work that already waits goes first.
      if (!isHeld()) return waited > 0 ? Promise.resolve() : undefined
      const until = forever === undefined ? performance.now() + patienceMs : Number.POSITIVE_INFINITY
      return new Promise((resolve, reject) => waiting.add({ resolve, reject, until }))
    },
    failed(error) {
      if (isBusy(error)) {
        lock.forget()
        hold()
      }
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
