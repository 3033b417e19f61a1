import type Sqlite from 'better-sqlite3'
import { onceATick } from '../../lib/once-a-tick.ts'

/** Counts what may have changed the tables of a database. */
export class TableVersions {
  readonly #writes = new Map<string, number>()
  /** Changes with each commit of another connection. */
  readonly #ofOthers: ReturnType<typeof onceATick<unknown>>

  constructor(sql: Sqlite.Database) {
    const dataVersion = sql.prepare('PRAGMA data_version').pluck()
    this.#ofOthers = onceATick(() => dataVersion.get())
  }

  /** A statement of this process may have written to the table. */
  wrote(table: string): void {
    this.#writes.set(table, (this.#writes.get(table) ?? 0) + 1)
  }

  /** A transaction began. Its lock may have been waited for while another process committed. */
  lookAgain(): void {
    this.#ofOthers.forget()
  }

  /** Looks once in a turn of the event loop, and once in each transaction, whether another process has committed. */
  of(table: string): string {
    return `${this.#writes.get(table) ?? 0} ${this.#ofOthers.get()}`
  }
}
