import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type Database, openDatabase } from './database.ts'
import { KeptReads } from './kept-reads.ts'
import { SqliteSettings } from './settings.ts'

const dir = mkdtempSync(join(tmpdir(), 'jarvis-kept-reads-'))
const opened: Database[] = []
const open = () => {
  const database = openDatabase(join(dir, 'jarvis.db'))
  opened.push(database)
  return database
}
afterEach(() => {
  for (const database of opened.splice(0)) database.close()
  rmSync(dir, { recursive: true, force: true })
})

test('a read is made again after a write of this process, a rolled-back one, and a commit of another', async () => {
  const database = open()
  const other = new SqliteSettings(open())
  let reads = 0
  const select = database.sql.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck()
  const kept = new KeptReads(database, 'settings', (key) => {
    reads += 1
    return select.get(key)
  })
  const settings = new SqliteSettings(database)

  settings.set('colour', 'red')
  expect([kept.get('colour'), kept.get('colour'), reads]).toEqual(['red', 'red', 1])

  settings.set('colour', 'green')
  expect(kept.get('colour')).toBe('green')

  const undo = () =>
    database.atomically(() => {
      settings.set('colour', 'blue')
      expect(kept.get('colour')).toBe('blue')
      throw new Error('undone')
    })
  expect(undo).toThrow('undone')
  expect(kept.get('colour')).toBe('green')

  await new Promise(setImmediate)
  other.set('colour', 'white')
  await new Promise(setImmediate)
  expect(kept.get('colour')).toBe('white')
  expect(settings.get('colour')).toBe('white')

  // Within a transaction it looks again, because the lock may have been waited for.
  expect(kept.get('colour')).toBe('white')
  other.set('colour', 'black')
  expect(database.atomically(() => kept.get('colour'))).toBe('black')

  // A write to another table changes nothing.
  const before = reads
  database.sql.prepare('DELETE FROM revoked_tokens').run()
  expect([kept.get('colour'), reads]).toEqual(['black', before])
})
