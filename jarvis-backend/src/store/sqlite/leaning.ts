import type { LeaningStore } from '../../watch/read-leaning.ts'
import type { Database } from './database.ts'
import { createSettings } from './settings.ts'

const key = 'leaning'

/** Stores the reading as one text in the settings. */
export function createLeaningStore(database: Database): LeaningStore {
  const settings = createSettings(database)
  return { read: () => settings.get(key), write: (text) => settings.set(key, text) }
}
