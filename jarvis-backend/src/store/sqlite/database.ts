import { existsSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { madePrivate } from '../../lib/private-file.ts'
import { type Held, neverHeld, WatchedLock } from './held.ts'
import { prepareLate } from './late-statement.ts'
import { migrations } from './migrations/index.ts'
import { toStorageFailure } from './storage-failure.ts'
import { TableVersions } from './table-versions.ts'
import { type Commits, GroupCommit, Transactions } from './transactions.ts'

export type Database = Pick<Held, 'isHeld' | 'untilFree' | 'waitNoMore'> & {
  sql: Sqlite.Database
  /** Runs `work` in one transaction; nested calls join it. */
  atomically<T>(work: () => T): T
  /** As `atomically`, but the work is on disk when it returns (`synchronous=FULL`, about 0.3 ms): for decisions, claims and the journal. */
  durably<T>(work: () => T): T
  /**
   * Runs `work` soon, in one transaction with all work that was queued in this turn of the event loop, so that many pieces share a commit. If one
   * piece throws, each piece runs again in its own transaction. While another process holds the database, the work waits. @returns the result, once
   * it is committed and its `afterCommit` functions have run
   */
  together<T>(work: () => T): Promise<T>
  /** Calls `run` after the open transaction is committed; at once if no transaction is open. */
  afterCommit(run: () => void): void
  /** The number of transactions that were rolled back since the database was opened. */
  undone(): number
  /** The commits of this process since the database was opened. `full`: commits that wait for the disk. */
  commits(): Commits
  /**
   * A text that changes whenever the content of a table may have changed: after a statement of this process that writes to the table, after a
   * rollback, and after a commit of another process. It looks for commits of other processes once in each turn of the event loop and once in each
   * transaction.
   */
  versionOf(table: string): string
  close(): void
}

/** A database that must not be opened; `message` is one line for the operator. */
export class DatabaseRefused extends Error {}

/** Larger databases are not scanned at the start, bytes. Damage in them is found only on use. */
const checkedUpToBytes = 64 * 1024 * 1024

/**
 * Opens `path` (or `:memory:`) in WAL mode with foreign keys, and runs outstanding migrations.
 * @param options.makeRoom called if the disk is full during a `durably` write; samples and caches must not use up the room. It returns true if it
 * freed room; the error of the failed transaction then says that it can be tried again
 * @param options.waiter `server`: while another process holds the database, writes fail within 250 ms, and callers that can wait call `untilFree`
 * first. `command`: writes block for at most 5 s
 * @throws DatabaseRefused if the file is damaged, not a database, or newer than this program; the file stays unchanged
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
  const held = path === ':memory:' || waiter === 'command' ? neverHeld : new WatchedLock(path, sql)
  const versions = new TableVersions(sql)
  const transactions = new Transactions(sql, { held, makeRoom, began: () => versions.lookAgain() })
  prepareLate(sql, {
    failed: (error) => held.failed(error),
    wrote(table) {
      versions.wrote(table)
      transactions.wrote()
    },
  })
  const group = new GroupCommit(transactions, held)
  // Arrow functions, because callers pass them on one by one.
  return {
    sql,
    atomically: (work) => transactions.atomically(work),
    durably: (work) => transactions.durably(work),
    together: (work) => group.add(work),
    afterCommit: (run) => transactions.afterCommit(run),
    undone: () => transactions.undone,
    commits: () => transactions.commits,
    versionOf: (table) => `${versions.of(table)} ${transactions.undone}`,
    isHeld: () => held.isHeld(),
    untilFree: (forever) => held.untilFree(forever),
    waitNoMore: () => held.waitNoMore(),
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
    // A checkpoint comes only at 16 MB of log, so that pages which change often are copied less often.
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
