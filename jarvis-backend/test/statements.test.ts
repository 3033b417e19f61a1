import { expect, test } from 'vitest'
import type { Database } from '../src/store/sqlite/database.ts'
import { startJarvis } from './support/start-jarvis.ts'

test('every statement of a start is one that SQLite can compile', async () => {
  const sources = new Set<string>()
  let opened: Database | undefined
  await startJarvis({
    database(database) {
      opened = database
      const prepare = database.sql.prepare.bind(database.sql)
      database.sql.prepare = ((source: string) => {
        sources.add(source)
        return prepare(source)
      }) as typeof database.sql.prepare
      return database
    },
  })
  const faults = [...sources].flatMap((source) => {
    try {
      opened?.sql.prepare(`EXPLAIN ${source}`).columns()
      return []
    } catch (error) {
      return [`${source}: ${String(error)}`]
    }
  })
  expect(faults).toEqual([])
  expect(sources.size).toBeGreaterThan(200)
})
