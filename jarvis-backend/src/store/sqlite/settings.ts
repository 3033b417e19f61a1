import type { Settings } from '../../auth/password.ts'
import type { Database } from './database.ts'

export function createSettings({ sql }: Database): Settings {
  const select = sql.prepare<[string], { value: string }>('SELECT value FROM settings WHERE key = ?')
  const upsert = sql.prepare(
    'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  return {
    get: (key) => select.get(key)?.value,
    set: (key, value) => void upsert.run(key, value),
  }
}
