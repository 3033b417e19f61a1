import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { JarvisError } from 'protocol'
import { onceATick } from '../../lib/once-a-tick.ts'
import { madePrivate } from '../../lib/private-file.ts'
import { createHeld, type Held, isBusy, neverHeld } from './held.ts'
import { prepareLate } from './late-statement.ts'
import { migrations } from './migrations/index.ts'
import { isFull, toStorageFailure } from './storage-failure.ts'

export type Database = Pick<Held, 'isHeld' | 'untilFree' | 'waitNoMore'> & {
  sql: Sqlite.Database
  /** Runs `work` in one transaction; nested calls join it. */
  atomically<T>(work: () => T): T
  /** As `atomically`, but on disk before it returns (`synchronous=FULL`, about 0.3 ms): for decisions, claims and the journal. */
  durably<T>(work: () => T): T
  /**
   * Runs `work` soon, in one transaction with all work queued in this turn of the event loop, so that many share a commit. If one throws,
   * each runs again in its own transaction. While another process holds the database, the work waits.
   * @returns the result, once it is committed and its `afterCommit` functions have run
   */
  together<T>(work: () => T): Promise<T>
  /** Calls `run` after the open transaction is committed; at once where none is open. */
  afterCommit(run: () => void): void
  /** How many transactions were rolled back since the database was opened. */
  undone(): number
  /**
   * A text that differs once a table may hold something else: after a statement of this process that writes to it, after a transaction that was rolled
   * back, and after a commit of another process, for which it looks once in a turn of the event loop and once in each transaction.
   */
  versionOf(table: string): string
  close(): void
}

type Grouped = { work: () => unknown; resolve(result: unknown): void; reject(error: unknown): void }

/** A database that must not be opened; `message` is one line for the operator. */
export class DatabaseRefused extends Error {}

/** Larger files are not scanned at the start, bytes. Damage in them shows on use. */
const checkedUpToBytes = 64 * 1024 * 1024

/**
 * Opens `path` (or `:memory:`) in WAL mode with foreign keys and runs outstanding migrations.
 * @param options.makeRoom called if the disk is full for a write that is `durably` made; samples and caches must not use the room up. It returns true if it freed room; the failed transaction then says that it can be tried again.
 * @param options.waiter `server`: while another process holds the database, writes fail within 250 ms, and callers that can wait call
 *   `untilFree` first. `command`: writes block for at most 5 s
 * @throws DatabaseRefused when the file is damaged, not a database, or newer than this program; it stays unchanged
 */
export function openDatabase(
  path: string,
  { waiter = 'command', makeRoom = () => false }: { waiter?: 'server' | 'command'; makeRoom?: () => boolean } = {},
): Database {
  if (path !== ':memory:') {
    if (existsSync(path)) refuseUnusable(path)
    else madePrivate(path)
  }
  const sql = openUpToDate(path)
  const held = path === ':memory:' || waiter === 'command' ? neverHeld : createHeld(path, sql)
  const writes = new Map<string, number>()
  prepareLate(sql, {
    failed: held.failed,
    wrote: (table) => void writes.set(table, (writes.get(table) ?? 0) + 1),
  })
  // Changes with each commit of another connection.
  const dataVersion = sql.prepare<[], number>('PRAGMA data_version').pluck()
  const ofOthers = onceATick(() => dataVersion.get())

  const transaction = sql.transaction((work: () => unknown) => {
    // The lock may have been waited for while another process committed.
    ofOthers.forget()
    return work()
  })
  let committed: (() => void)[] = []
  let undone = 0
  let isDurable = false
  let group: Grouped[] = []
  const atomically = <T>(work: () => T): T => {
    if (sql.inTransaction) return work()
    committed = []
    let result: T
    try {
      result = transaction.immediate(work) as T
    } catch (error) {
      undone += 1
      const failure = held.failed(error)
      if (isDurable && isFull(failure) && makeRoom())
        throw new JarvisError(
          'storage_failed',
          'The disk is full, and nothing was changed. JARVIS has freed the room that it keeps for this: try again now, then free some space.',
          { cause: error },
        )
      throw failure
    }
    // Every function runs even when an earlier one throws, because the data is committed.
    let failure: unknown
    for (const run of committed.splice(0)) {
      try {
        run()
      } catch (error) {
        failure ??= error
      }
    }
    if (failure !== undefined) throw failure
    return result
  }
  /** Runs one piece of work of a group and then its own `afterCommit` functions. */
  function workOne({ work, resolve, reject }: Grouped) {
    const before = committed.length
    const result = work()
    const told = committed.splice(before)
    committed.push(() => {
      try {
        for (const run of told) run()
        resolve(result)
      } catch (error) {
        reject(error)
      }
    })
  }

  function commitGroup() {
    const works = group
    if (works.length === 0) return
    group = []
    try {
      atomically(() => works.forEach(workOne))
    } catch (error) {
      const free = isBusy(error) ? held.untilFree() : undefined
      if (free !== undefined) {
        // None of it has run. It waits together with what is added meanwhile.
        group = [...works, ...group]
        free.then(commitGroup, (late: unknown) => {
          for (const one of group.splice(0)) one.reject(late)
        })
        return
      }
      // Each runs alone, so that only failing work is rejected.
      for (const one of works) {
        try {
          atomically(() => workOne(one))
        } catch (error) {
          one.reject(error)
        }
      }
    }
  }
  return {
    sql,
    atomically,
    together: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        if (group.push({ work, resolve: resolve as Grouped['resolve'], reject }) === 1) setImmediate(commitGroup)
      }),
    durably(work) {
      // The level cannot change inside a transaction, so the outermost transaction decides.
      if (sql.inTransaction) return work()
      // Executed as text: SQLite applies this pragma when it is prepared and not when it is run.
      sql.exec('PRAGMA synchronous = FULL')
      isDurable = true
      try {
        return atomically(work)
      } finally {
        isDurable = false
        sql.exec('PRAGMA synchronous = NORMAL')
      }
    },
    afterCommit(run) {
      if (sql.inTransaction) committed.push(run)
      else run()
    },
    undone: () => undone,
    versionOf: (table) => `${writes.get(table) ?? 0} ${undone} ${ofOthers.get()}`,
    isHeld: held.isHeld,
    untilFree: held.untilFree,
    waitNoMore: held.waitNoMore,
    close() {
      held.close()
      sql.close()
    },
  }
}

function openUpToDate(path: string): Sqlite.Database {
  let sql: Sqlite.Database | undefined
  try {
    sql = new Sqlite(path)
    sql.pragma('journal_mode = WAL')
    sql.pragma('synchronous = NORMAL')
    sql.pragma('foreign_keys = ON')
    // Checkpoints at 16 MB of log, so pages that change often are copied less often.
    sql.pragma('wal_autocheckpoint = 4000')
    migrate(sql)
    return sql
  } catch (error) {
    sql?.close()
    const failure = toStorageFailure(error)
    if (failure === error || !(failure instanceof Error)) throw error
    throw new DatabaseRefused(`${path} cannot be opened. ${failure.message}`, { cause: error })
  }
}

function migrate(sql: Sqlite.Database) {
  const done = versionOf(sql)
  if (done === migrations.length) return
  sql
    .transaction(() => {
      for (const migration of migrations.slice(done)) sql.exec(migration)
      sql.pragma(`user_version = ${migrations.length}`)
    })
    .immediate()
}

/** Checks every page. @throws DatabaseRefused naming the damage */
export function checkPages(sql: Sqlite.Database, path: string): void {
  const finding = sql.pragma('quick_check(1)', { simple: true })
  if (finding !== 'ok') throw unusable(path, String(finding))
}

const unusable = (path: string, why: string) =>
  new DatabaseRefused(
    `${path} cannot be used: ${why.split('\n').at(-1)}. Nothing was changed. Restore it from a backup, or move it away to start empty.`,
  )

const versionOf = (sql: Sqlite.Database) => Number(sql.pragma('user_version', { simple: true }))

function refuseUnusable(path: string) {
  let sql: Sqlite.Database | undefined
  try {
    sql = new Sqlite(path, { readonly: true })
    const version = versionOf(sql)
    if (version > migrations.length) {
      throw new DatabaseRefused(
        `${path} was written by a newer JARVIS (schema ${version}, this one knows ${migrations.length}). Nothing was changed. Start the newer version, or set JARVIS_DATA_DIR to another folder.`,
      )
    }
    const pages = Number(sql.pragma('page_count', { simple: true })) * Number(sql.pragma('page_size', { simple: true }))
    if (pages <= checkedUpToBytes) checkPages(sql, path)
  } catch (error) {
    if (error instanceof DatabaseRefused) throw error
    throw unusable(path, error instanceof Error ? error.message : String(error))
  } finally {
    sql?.close()
  }
}
