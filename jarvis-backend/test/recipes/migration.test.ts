import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/store/sqlite/database.ts'
import { migrations } from '../../src/store/sqlite/migrations/index.ts'
import { folder } from '../support/data-dir.ts'
import { followRecipe, recipeOf } from '../support/follow-recipe.ts'

const heading = 'A migration'
const list = 'src/store/sqlite/migrations/index.ts'
/** The end of the list, which is the last thing in its file. */
const [lastLine = ''] = /.*\n(?=\]\n$)/.exec(readFileSync(join(import.meta.dirname, '../..', list), 'utf8')) ?? []

test('a database in use gets the table of the recipe, keeps its rows, and is refused by the version before', async () => {
  expect(basename(recipeOf(heading).path)).toMatch(/^\d{4}-[a-z0-9-]+\.ts$/)
  const followed = await followRecipe<{ openDatabase: typeof openDatabase; migrations: typeof migrations }>(
    heading,
    { path: list, after: lastLine },
    `export { openDatabase } from './store/sqlite/database.ts'
     export { migrations } from './store/sqlite/migrations/index.ts'`,
  )
  expect(followed.migrations.slice(0, -1)).toEqual(migrations)

  const path = join(folder(), 'jarvis.db')
  const older = openDatabase(path)
  older.sql.prepare("INSERT INTO settings (key, value) VALUES ('kept', 'yes')").run()
  older.close()

  const newer = followed.openDatabase(path)
  newer.sql.prepare("INSERT INTO node_notes (node, text) VALUES ('pve', 'In the rack')").run()
  expect(newer.sql.prepare("SELECT value FROM settings WHERE key = 'kept'").pluck().get()).toBe('yes')
  expect(newer.sql.pragma('user_version', { simple: true })).toBe(migrations.length + 1)
  newer.close()

  // A second start runs nothing again.
  const again = followed.openDatabase(path)
  expect(again.sql.prepare('SELECT * FROM node_notes').all()).toEqual([{ node: 'pve', text: 'In the rack' }])
  again.close()
  expect(() => openDatabase(path)).toThrow(`schema ${migrations.length + 1}, this one knows ${migrations.length}`)
}, 120_000)
