import type { Settings } from '../../auth/password.ts'
import type { Database } from './database.ts'
import { KeptReads } from './kept-reads.ts'

export function createSettings(database: Database): Settings {
  const { sql } = database
  const select = sql.prepare<[string], { value: string }>('SELECT value FROM settings WHERE key = ?')
  const upsert = sql.prepare(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const kept = new KeptReads(database, 'settings', (key) => select.get(key)?.value)
  return {
    get: (key) => kept.get(key),
    set: (key, value) => void upsert.run(key, value),
  }
}
