import type { Settings } from '../../auth/password.ts'
import type { LeaningStore } from '../../watch/read-leaning.ts'
import type { Database } from './database.ts'
import { SqliteSettings } from './settings.ts'
import { SqliteStore } from './sqlite-store.ts'

const key = 'leaning'

/** Stores the reading as one text in the settings. */
export class SqliteLeaningStore extends SqliteStore implements LeaningStore {
  readonly #settings: Settings

  constructor(database: Database) {
    super(database)
    this.#settings = new SqliteSettings(database)
  }

  read(): string | undefined {
    return this.#settings.get(key)
  }

  write(text: string): void {
    this.#settings.set(key, text)
  }
}
