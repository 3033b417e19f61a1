import type Sqlite from 'better-sqlite3'
import { onceATick } from '../../lib/once-a-tick.ts'

/** Counts the events that may have changed a table of the database. */
export class TableVersions {
  readonly #writes = new Map<string, number>()
  /** A value that changes with each commit of another connection. */
  readonly #ofOthers: ReturnType<typeof onceATick<unknown>>

  constructor(sql: Sqlite.Database) {
    const dataVersion = sql.prepare('PRAGMA data_version').pluck()
    this.#ofOthers = onceATick(() => dataVersion.get())
  }

  /** Called after a statement of this process that may have written to the table. */
  wrote(table: string): void {
    this.#writes.set(table, (this.#writes.get(table) ?? 0) + 1)
  }

  /** Called when a transaction began. Another process may have committed while the transaction waited for its lock. */
  lookAgain(): void {
    this.#ofOthers.forget()
  }

  /** The version of a table. Looks once in a turn of the event loop, and once in each transaction, if another process has committed. */
  of(table: string): string {
    return `${this.#writes.get(table) ?? 0} ${this.#ofOthers.get()}`
  }
}
