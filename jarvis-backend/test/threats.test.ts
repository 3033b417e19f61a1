import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const backend = new URL('../', import.meta.url)

test('each defence and check that the table of threats names is there, and no row lacks a check', () => {
  const page = readFileSync(new URL('../docs/threats.md', backend), 'utf8')
  const rows = page.split('\n').filter((line) => /^\| (?!class)/.test(line))
  const missing = page
    .match(/`(?:src|test|dojo|\.\.\/packages)\/[^`]+`/g)
    ?.filter((path) => !existsSync(new URL(path.slice(1, -1), backend)))
  expect(missing).toEqual([])
  expect(rows.filter((row) => !/`[\w/.-]+\.test\.ts`[^|]*\|$/.test(row))).toEqual([])
  expect(rows.length).toBeGreaterThan(30)
})
