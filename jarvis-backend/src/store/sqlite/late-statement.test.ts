import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { prepareLate } from './late-statement.ts'
import { toStorageFailure } from './storage-failure.ts'

function opened() {
  const sql = new Sqlite(':memory:')
  onTestFinished(() => void sql.close())
  prepareLate(sql, { failed: toStorageFailure, wrote() {} })
  return sql
}

test('a statement is compiled when it is used, so that its table may come after it', () => {
  const sql = opened()
  const put = sql.prepare('INSERT INTO kept VALUES (?, ?)')
  const get = sql.prepare<[number], { name: string }>('SELECT name FROM kept WHERE id = ?')
  const names = sql.prepare<[], string>('SELECT name FROM kept ORDER BY id').pluck()
  const rows = sql.prepare<[], [number, string]>('SELECT id, name FROM kept ORDER BY id').raw()
  sql.exec('CREATE TABLE kept (id INTEGER, name TEXT)')

  expect(put.run(1, 'one').changes).toBe(1)
  put.run(2, 'two')
  expect(get.get(2)).toEqual({ name: 'two' })
  expect(names.all()).toEqual(['one', 'two'])
  expect([...rows.iterate()]).toEqual([
    [1, 'one'],
    [2, 'two'],
  ])
  expect(names.pluck(false).get()).toEqual({ name: 'one' })
})

test('a mistake in a text shows at each use', () => {
  const wrong = opened().prepare('SELECT name FROM nowhere')
  expect(() => wrong.all()).toThrow('no such table: nowhere')
  expect(() => wrong.get()).toThrow('no such table: nowhere')
})

test('a failure of the disk is one that a person can read', () => {
  const sql = opened()
  sql.exec('CREATE TABLE kept (text TEXT)')
  const put = sql.prepare('INSERT INTO kept VALUES (?)')
  sql.pragma('max_page_count = 1')
  expect(() => put.run('a'.repeat(100_000))).toThrow('The disk is full: nothing was changed.')
})
