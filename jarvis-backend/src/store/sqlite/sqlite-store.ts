import type { Database } from './database.ts'

/** A store over the database. Each statement is a field, so it is prepared once: `readonly #select = this.sql.prepare('…')`. */
export abstract class SqliteStore {
  protected readonly sql: Database['sql']

  constructor({ sql }: Pick<Database, 'sql'>) {
    this.sql = sql
  }
}
