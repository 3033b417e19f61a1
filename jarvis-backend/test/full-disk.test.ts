import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDiskReserve } from '../src/lib/disk-reserve.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { folder } from './support/data-dir.ts'

test('a full disk gives the room that was kept for it to the next attempt, and says so', () => {
  const dir = folder()
  const reserve = createDiskReserve(dir, () => true)
  reserve.hold()
  expect(statSync(join(dir, 'disk-reserve')).size).toBe(4 * 1024 ** 2)
  let pages = 0
  const database = openDatabase(join(dir, 'jarvis.db'), {
    makeRoom() {
      if (!reserve.release()) return false
      // Does with the freed pages what the file system does with the room of the file.
      database.sql.pragma(`max_page_count = ${pages + 1_000}`)
      return true
    },
  })
  onTestFinished(() => database.close())
  // SQLite answers as on a full disk where a database may not grow.
  pages = database.sql.pragma('page_count', { simple: true }) as number
  database.sql.pragma(`max_page_count = ${pages}`)
  const decide = () =>
    database.durably(() =>
      database.sql.prepare('INSERT INTO settings (key, value) VALUES (?, ?)').run('decision', 'x'.repeat(100_000)),
    )
  // Samples and caches leave it to decisions.
  const fill = () =>
    database.sql.prepare('INSERT INTO settings (key, value) VALUES (?, ?)').run('x', 'x'.repeat(100_000))
  expect(() => database.atomically(fill)).toThrow('Free some space')
  expect(existsSync(join(dir, 'disk-reserve'))).toBe(true)
  expect(decide).toThrow('try again now')
  expect(existsSync(join(dir, 'disk-reserve'))).toBe(false)
  expect(decide().changes).toBe(1)

  // Room that is gone is not promised twice.
  pages = database.sql.pragma('page_count', { simple: true }) as number
  database.sql.pragma(`max_page_count = ${pages}`)
  expect(() => database.durably(() => database.sql.exec('UPDATE settings SET value = hex(zeroblob(4000000))'))).toThrow(
    'Free some space',
  )
  createDiskReserve(dir, () => false).hold()
  expect(existsSync(join(dir, 'disk-reserve'))).toBe(false)
})
