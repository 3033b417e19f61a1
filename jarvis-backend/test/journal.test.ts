import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { JournalEntry, JournalVerification, Page } from 'protocol'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { hashOf, type JournalRow } from '../src/store/sqlite/journal/journal.ts'
import { Verifier } from '../src/store/sqlite/journal/verify.ts'
import { jarvisHere } from './support/command-here.ts'
import { folder, openJournal } from './support/data-dir.ts'
import { as, joined } from './support/people.ts'
import { startJarvis } from './support/start-jarvis.ts'

const verifyAlone = async (dir: string) => {
  const { journal, close } = openJournal(dir)
  const found = await journal.verify()
  await close()
  return found
}

/** Ten entries, closed. */
async function tenEntries() {
  const dir = folder()
  const { journal, close } = openJournal(dir)
  for (let n = 1; n <= 10; n += 1) journal.append('call', { n })
  expect(await journal.verify()).toEqual({ ok: true, entries: 10 })
  await close()
  return dir
}

function doctor(dir: string, change: (sql: Sqlite.Database, dir: string) => void) {
  const sql = new Sqlite(join(dir, 'jarvis.db'))
  change(sql, dir)
  sql.close()
}

const rowAt = (sql: Sqlite.Database, seq: number) =>
  sql.prepare<[number], JournalRow>('SELECT * FROM journal WHERE seq = ?').get(seq) as JournalRow
const put = (sql: Sqlite.Database, { seq, at, kind, body, hash }: JournalRow) =>
  sql.prepare('INSERT INTO journal (seq, at, kind, body, hash) VALUES (?, ?, ?, ?, ?)').run(seq, at, kind, body, hash)
const headFile = (dir: string) => join(dir, 'journal', 'head.json')

const doctorings: [what: string, brokenAt: number, change: (sql: Sqlite.Database, dir: string) => void][] = [
  ['an edited body', 5, (sql) => sql.exec(`UPDATE journal SET body = '{"n":50}' WHERE seq = 5`)],
  ['a body that is no JSON', 5, (sql) => sql.exec("UPDATE journal SET body = '{' WHERE seq = 5")],
  ['an edited time', 1, (sql) => sql.exec('UPDATE journal SET at = at + 1 WHERE seq = 1')],
  ['an edited kind', 10, (sql) => sql.exec("UPDATE journal SET kind = 'sign_in' WHERE seq = 10")],
  [
    'an edited hash',
    7,
    (sql) => sql.exec("UPDATE journal SET hash = replace(hash, substr(hash, 1, 1), 'x') WHERE seq = 7"),
  ],
  [
    'an edit with its own hash made right',
    6,
    (sql) => {
      const row = { ...rowAt(sql, 5), body: '{"n":50}' }
      sql.prepare('UPDATE journal SET body = ?, hash = ? WHERE seq = 5').run(row.body, hashOf(rowAt(sql, 4).hash, row))
    },
  ],
  ['a deleted entry', 5, (sql) => sql.exec('DELETE FROM journal WHERE seq = 5')],
  [
    'a deleted entry with the rest moved up',
    5,
    (sql) => sql.exec('DELETE FROM journal WHERE seq = 5; UPDATE journal SET seq = seq - 1 WHERE seq > 5'),
  ],
  [
    'two entries that changed places',
    4,
    (sql) =>
      sql.exec(
        'UPDATE journal SET seq = 99 WHERE seq = 4; UPDATE journal SET seq = 4 WHERE seq = 6; UPDATE journal SET seq = 6 WHERE seq = 99',
      ),
  ],
  [
    'an entry put in',
    5,
    (sql) => {
      sql.exec('UPDATE journal SET seq = -seq WHERE seq >= 5; UPDATE journal SET seq = 1 - seq WHERE seq < 0')
      put(sql, { ...rowAt(sql, 4), seq: 5 })
    },
  ],
  ['an entry put before all', 0, (sql) => put(sql, { ...rowAt(sql, 1), seq: 0 })],
  ['an entry put at the end', 11, (sql) => put(sql, { ...rowAt(sql, 10), seq: 11 })],
  ['a head that was cut off', 1, (sql) => sql.exec('DELETE FROM journal WHERE seq <= 3')],
  ['a tail that was cut off', 9, (sql) => sql.exec('DELETE FROM journal WHERE seq >= 9')],
  ['all entries gone', 1, (sql) => sql.exec('DELETE FROM journal')],
  [
    'a tail written anew with right hashes',
    10,
    (sql) => {
      for (let seq = 9; seq <= 10; seq += 1) {
        const row = { ...rowAt(sql, seq), body: '{"n":0}' }
        sql.prepare('DELETE FROM journal WHERE seq = ?').run(seq)
        put(sql, { ...row, hash: hashOf(rowAt(sql, seq - 1).hash, row) })
      }
    },
  ],
  ['another hash in the anchor', 10, (_sql, dir) => rewriteHead(dir, { hash: 'f'.repeat(64) })],
  ['an anchor ahead', 11, (_sql, dir) => rewriteHead(dir, { seq: 12 })],
  ['an anchor that is gone', 11, (_sql, dir) => rmSync(headFile(dir))],
  ['an anchor that cannot be read', 11, (_sql, dir) => writeFileSync(headFile(dir), '{')],
]

function rewriteHead(dir: string, change: object) {
  const head = JSON.parse(readFileSync(headFile(dir), 'utf8')) as object
  writeFileSync(headFile(dir), JSON.stringify({ ...head, ...change }))
}

test.each(doctorings)('%s is found, at entry %i', async (_what, brokenAt, change) => {
  const dir = await tenEntries()
  doctor(dir, change)
  expect(await verifyAlone(dir)).toMatchObject({ ok: false, brokenAt, reason: expect.stringMatching(/\w/) })
  // The evidence outlives what is written next.
  const { journal, close } = openJournal(dir)
  journal.append('call', { n: 'next' })
  await journal.flush()
  expect(await journal.verify()).toMatchObject({ ok: false })
  await close()
})

test('without the anchor a truncated journal goes unnoticed, which is why the anchor exists', async () => {
  const dir = await tenEntries()
  doctor(dir, (sql) => sql.exec('DELETE FROM journal WHERE seq >= 9'))
  const database = openDatabase(join(dir, 'jarvis.db'))
  expect(await new Verifier(database).verify()).toEqual({ ok: true, entries: 8 })
  database.close()
})

test('a tail cut off before the anchor knew it is noticed by the process that wrote it', async () => {
  const dir = await tenEntries()
  const { journal, reported, close } = openJournal(dir)
  journal.append('call', { n: 11 })
  journal.append('call', { n: 12 })
  doctor(dir, (sql) => sql.exec('DELETE FROM journal WHERE seq = 12'))
  expect(await journal.verify()).toMatchObject({ ok: false, brokenAt: 12 })
  await close()
  expect(reported).toHaveLength(1)
})

test('a database ahead of its anchor is whole: the process died in between', async () => {
  const dir = await tenEntries()
  const before = readFileSync(headFile(dir))
  const { journal, close } = openJournal(dir)
  journal.append('call', { n: 11 })
  await close()
  expect(JSON.parse(readFileSync(headFile(dir), 'utf8'))).toMatchObject({ seq: 11 })
  writeFileSync(headFile(dir), before)
  expect(await verifyAlone(dir)).toEqual({ ok: true, entries: 11 })
})

test('an entry that is rolled back leaves no trace, and two processes write one chain', async () => {
  const dir = await tenEntries()
  const [server, cli] = [openJournal(dir), openJournal(dir)]
  expect(() =>
    server.database.durably(() => {
      server.journal.append('decision', {})
      throw new Error('rolled back')
    }),
  ).toThrow('rolled back')
  for (const { journal } of [server, cli, server, cli]) journal.append('call', {})
  await server.close()
  await cli.close()
  expect(await verifyAlone(dir)).toEqual({ ok: true, entries: 14 })
  expect(statSync(headFile(dir)).mode & 0o777).toBe(0o600)
})

test('following a long chain gives way to others', async () => {
  const dir = folder()
  const { database, journal, close } = openJournal(dir)
  database.atomically(() => {
    for (let n = 0; n < 30_000; n += 1) journal.append('call', { n, text: 'x'.repeat(200) })
  })
  let turns = 0
  let isDone = false
  const turn = () => {
    turns += 1
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  expect(await journal.verify()).toEqual({ ok: true, entries: 30_000 })
  isDone = true
  expect(turns).toBeGreaterThan(5)
  await close()
})

test('the journal is paged, filtered, verified and exported over REST', async () => {
  const server = await startJarvis()
  const screen = await server.connect()
  for (let n = 0; n < 2; n += 1) {
    await screen.ask('chat:send', { message: '/get_vms status=running' })
    await screen.next('chat:done')
  }
  const { sessionId } = await screen.ask('chat:send', { message: '/get_node_status node=pve' })
  await screen.next('chat:done')
  const read = async (path: string) =>
    (await (await server.rest(`/api/journal${path}`)).json()) as Page<JournalEntry> & JournalVerification

  const newest = await read('?limit=2')
  expect(newest.items.map(({ seq }) => seq)).toEqual([3, 2])
  expect(await read(`?limit=2&before=${newest.next}`)).toEqual({ items: [expect.objectContaining({ seq: 1 })] })
  expect((await read(`?sessionId=${sessionId}`)).items).toMatchObject([
    { seq: 3, kind: 'call', body: { toolName: 'get_node_status' } },
  ])
  expect((await read('?toolName=get_vms&actor=operator')).items).toHaveLength(2)
  expect((await read('?kind=decision')).items).toEqual([])
  expect((await server.rest('/api/journal?limit=0')).status).toBe(400)
  expect((await server.rest('/api/journal?what=ever')).status).toBe(400)

  expect(await read('/verify')).toEqual({ ok: true, entries: 3 })
  const exported = await server.rest('/api/journal/export')
  const lines = (await exported.text()).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line).seq)).toEqual([1, 2, 3])
  expect((await server.rest('/api/journal/export', { role: 'viewer' })).status).toBe(403)
  expect((await server.rest('/api/journal/verify', { role: 'viewer' })).status).toBe(200)
})

test('entries are searched by all words of a text, in any case, and by days; a viewer, to whom talks may be closed, searches no words', async () => {
  const jarvis = await startJarvis()
  await jarvis.rest('/api/mcp-tokens', { method: 'POST', json: { name: 'Ops-Laptop' } })
  const of = async (query: string) =>
    ((await (await jarvis.rest(`/api/journal?${query}`)).json()) as Page<JournalEntry>).items
  const [found, ...others] = await of('words=ops-LAPTOP')
  expect(JSON.stringify(found)).toContain('Ops-Laptop')
  expect(others).toEqual([])
  const at = found?.at ?? 0
  for (const [query, count] of [
    ['words=laptop%20ops', 1],
    ['words=ops-laptop%20nowhere', 0],
    ['words=%25', 0],
    [`words=ops-laptop&from=${at}&to=${at + 1}`, 1],
    [`words=ops-laptop&from=${at + 1}`, 0],
    [`words=ops-laptop&to=${at}`, 0],
  ] as const)
    expect(await of(query), query).toHaveLength(count)
  const { token } = await joined(jarvis, 'Jon', 'viewer')
  const asJon = async (query: string) => (await fetch(`${jarvis.url}/api/journal?${query}`, as(token))).status
  expect([await asJon('words=ops'), await asJon(`from=${at}`)]).toEqual([403, 200])
})

test('a page brings the other entries of its calls, at whatever distance, for older results name no guest and no person', async () => {
  const dir = folder()
  const { journal, close } = openJournal(dir)
  const id = { toolUseId: 'tu_1', toolName: 'restart_vm' }
  const asked = { ...id, toolInput: { vmid: 123 }, requestedBy: { kind: 'chat', name: 'demo' }, bindingHash: 'x' }
  journal.append('call', asked)
  for (let n = 0; n < 5_000; n += 1) journal.append('call', { toolUseId: `tu_r${n}`, outcome: 'done' })
  journal.append('decision', { ...id, decision: 'approved', by: 'operator' })
  journal.append('result', { ...id, outcome: 'done' })
  const { items, besides = [] } = await journal.page({ limit: 50, kind: 'result' })
  expect(items.map(({ seq }) => seq)).toEqual([5_003])
  expect(besides.map(({ seq, body }) => [seq, body])).toEqual([
    [5_002, expect.objectContaining({ decision: 'approved' })],
    [1, asked],
  ])
  expect(await journal.page({ limit: 2, before: 5_002 })).not.toHaveProperty('besides')
  await close()
})

test('a journal with a doctored body is still shown and exported', async () => {
  const dir = await tenEntries()
  doctor(dir, (sql) => sql.exec("UPDATE journal SET body = '{' WHERE seq = 5"))
  const { journal, close } = openJournal(dir)
  expect((await journal.page({ limit: 50 })).items[5]).toMatchObject({ seq: 5, body: '{' })
  expect((await journal.page({ limit: 50, toolName: 'x' })).items).toEqual([])
  await close()
})

test('the command line verifies and exports, and names the first broken entry', async () => {
  const dir = await tenEntries()
  expect(await jarvisHere(dir, 'journal', 'verify')).toEqual({ code: 0, output: 'The journal is whole: 10 entries.' })
  const file = join(dir, 'out.jsonl')
  expect((await jarvisHere(dir, 'journal', 'export', file)).code).toBe(0)
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(11)
  expect(await jarvisHere(dir, 'journal', 'export', file)).toMatchObject({
    code: 2,
    output: expect.stringContaining('exists'),
  })

  doctor(dir, (sql) => sql.exec('DELETE FROM journal WHERE seq = 4'))
  expect(await jarvisHere(dir, 'journal', 'verify')).toEqual({
    code: 1,
    output: 'The journal is broken at entry 4. Entry 4 is missing.',
  })
})
