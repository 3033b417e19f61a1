import type { Settings } from '../../auth/password.ts'
import type { Database } from './database.ts'
import { KeptReads } from './kept-reads.ts'
import { SqliteStore } from './sqlite-store.ts'

export class SqliteSettings extends SqliteStore implements Settings {
  readonly #select = this.sql.prepare<[string], { value: string }>('SELECT value FROM settings WHERE key = ?')
  readonly #upsert = this.sql.prepare(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  readonly #kept: KeptReads<string | undefined>

  constructor(database: Database) {
    super(database)
    this.#kept = new KeptReads(database, 'settings', (key) => this.#select.get(key)?.value)
  }

  get(key: string): string | undefined {
    return this.#kept.get(key)
  }

  set(key: string, value: string): void {
    this.#upsert.run(key, value)
  }
}
