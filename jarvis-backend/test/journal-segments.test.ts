import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { jarvisHere } from './support/command-here.ts'
import { folder, openJournal } from './support/data-dir.ts'

const dayMs = 24 * 60 * 60_000
const start = Date.parse('2026-01-01')

/** One entry a day for twenty days; `at(n)` opens it on a later day. */
async function twentyDays() {
  const dir = folder()
  let now = start
  const open = () => openJournal(dir, () => now)
  const { journal, close } = open()
  for (let day = 1; day <= 20; day += 1) {
    journal.append('call', { day })
    now += dayMs
  }
  await close()
  const segments = () => readdirSync(join(dir, 'journal')).filter((name) => name.startsWith('segment-'))
  return { dir, open, segments, file: () => join(dir, 'journal', segments()[0] ?? '') }
}

test('what is sealed leaves the database, and the chain goes on through the files', async () => {
  const { open, segments } = await twentyDays()
  const { journal, database, close } = open()
  expect(journal.prune(start + 8 * dayMs, 'cli')).toMatchObject([{ firstSeq: 1, lastSeq: 8 }])
  expect(journal.prune(start + 8 * dayMs, 'cli')).toEqual([])
  expect(await journal.verify()).toEqual({ ok: true, entries: 21 })
  journal.append('call', {})
  expect(journal.prune(start + 15 * dayMs, 'cli')).toMatchObject([{ firstSeq: 9, lastSeq: 15 }])
  expect(await journal.verify()).toEqual({ ok: true, entries: 23 })
  expect(segments()).toHaveLength(2)
  expect(database.sql.prepare('SELECT MIN(seq) AS first FROM journal').get()).toEqual({ first: 16 })
  expect((await journal.page({ limit: 2, kind: 'prune' })).items).toMatchObject([
    { seq: 23, body: { firstSeq: 9, lastSeq: 15, by: 'cli' } },
    { seq: 21, body: { firstSeq: 1, lastSeq: 8 } },
  ])

  let exported = ''
  for await (const piece of journal.lines()) exported += piece
  expect(
    exported
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).seq),
  ).toEqual(Array.from({ length: 23 }, (_, index) => index + 1))
  await close()
})

test('segments that were taken away are pruned, not broken', async () => {
  const { open, file, segments } = await twentyDays()
  const { journal, close } = open()
  journal.prune(start + 8 * dayMs, 'cli')
  journal.prune(start + 12 * dayMs, 'cli')
  rmSync(file())
  expect(segments()).toHaveLength(1)
  expect(await journal.verify()).toMatchObject({ ok: true })
  rmSync(file())
  expect(await journal.verify()).toMatchObject({ ok: true, entries: 10 })
  await close()
})

test.each([
  ['edited', 3, (text: string) => text.replace('"day":3', '"day":4')],
  ['cut off', 8, (text: string) => text.split('\n').slice(0, 7).join('\n')],
  ['missing a line', 4, (text: string) => text.split('\n').toSpliced(3, 1).join('\n')],
  ['no journal', 1, () => 'nothing of the kind'],
  ['empty', 1, () => ''],
])('a segment that is %s is broken, at entry %i', async (_what, brokenAt, change) => {
  const { open, file } = await twentyDays()
  const { journal, close } = open()
  journal.prune(start + 8 * dayMs, 'cli')
  writeFileSync(file(), change(readFileSync(file(), 'utf8')))
  expect(await journal.verify()).toMatchObject({ ok: false, brokenAt })
  await close()
})

test.each([
  [
    'entries deleted and called sealed',
    1,
    "DELETE FROM journal WHERE seq <= 5; INSERT INTO journal_segments VALUES (1, 5, '0000000000000000000000000000000000000000000000000000000000000000', (SELECT hash FROM kept WHERE seq = 5), 0)",
  ],
  ['a segment forgotten', 1, 'DELETE FROM journal_segments'],
  ['more deleted than was sealed', 9, 'DELETE FROM journal WHERE seq = 9'],
])('%s: found, at entry %i', async (what, brokenAt, change) => {
  const { open } = await twentyDays()
  const { journal, database, close } = open()
  if (!what.startsWith('entries')) journal.prune(start + 8 * dayMs, 'cli')
  database.sql.exec('CREATE TEMP TABLE kept AS SELECT * FROM journal')
  database.sql.exec(change)
  expect(await journal.verify()).toMatchObject({ ok: false, brokenAt })
  await close()
})

test('entries that are sealed while the chain is followed are not missing', async () => {
  const dir = folder()
  const server = openJournal(dir, () => start)
  server.database.atomically(() => {
    for (let n = 0; n < 20_000; n += 1) server.journal.append('call', { n })
  })
  const cli = openJournal(dir, () => start + dayMs)
  const verifying = server.journal.verify()
  expect(cli.journal.prune(start + 1, 'cli')).toHaveLength(2)
  expect(await verifying).toEqual({ ok: true, entries: 20_002 })
  await cli.close()
  await server.close()
})

test('what is broken is not sealed away', async () => {
  const { open, segments } = await twentyDays()
  const { journal, database, close } = open()
  database.sql.exec(`UPDATE journal SET body = '{}' WHERE seq = 3`)
  expect(() => journal.prune(start + 8 * dayMs, 'cli')).toThrow(/Entry 3 .* not as it was written/)
  expect(segments()).toEqual([])
  expect(await journal.verify()).toMatchObject({ ok: false, brokenAt: 3 })
  await close()
})

test('everything may be sealed, and the next entry goes on from it', async () => {
  const { open } = await twentyDays()
  const { journal, close } = open()
  journal.prune(start + 400 * dayMs, 'cli')
  journal.append('call', {})
  expect(await journal.verify()).toEqual({ ok: true, entries: 22 })
  await close()
})

test('the command line prunes while a server writes', async () => {
  const { dir, open } = await twentyDays()
  const { journal, close } = open()
  let isDone = false
  const write = () => {
    journal.append('call', { from: 'the server' })
    if (!isDone) setImmediate(write)
  }
  write()
  const { code, output } = await jarvisHere(dir, 'journal', 'prune', '--before', '2026-01-09')
  isDone = true
  expect(output).toContain('Sealed 8 entries, up to 8, in one file')
  expect(code).toBe(0)
  expect(await journal.verify()).toMatchObject({ ok: true })
  await close()
  for (const args of [[], ['--before', 'soon'], ['--before', '2999-01-01'], ['--older-than', '3']]) {
    expect((await jarvisHere(dir, 'journal', 'prune', ...args)).code).toBe(2)
  }
})
