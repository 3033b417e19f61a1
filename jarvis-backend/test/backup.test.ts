import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { rowsOf } from '../../scripts/property-runs.ts'
import { backUp } from '../src/store/sqlite/backup.ts'
import { restore } from '../src/store/sqlite/restore.ts'
import { jarvisHere } from './support/command-here.ts'
import { folder, jarvis, keyFileOf, openJournal } from './support/data-dir.ts'
import { every } from './support/real-time.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const quiet = { now: Date.now(), progress: () => {} }

/** A data dir with entries 1 to 3 backed up, and two more since. */
async function backedUp() {
  const dir = folder()
  const file = join(folder(), 'jarvis-backup.db')
  const { database, journal, close } = openJournal(dir)
  for (let n = 1; n <= 3; n += 1) journal.append('call', { n })
  await backUp(database, { ...quiet, file })
  journal.append('call', { n: 4 })
  journal.append('call', { n: 5 })
  await close()
  return { dir, file }
}

test('a backup made while a server writes is one whole file, of one moment', async () => {
  const dir = folder()
  const file = join(folder(), 'backup.db')
  const { journal, database, close } = openJournal(dir)
  database.atomically(() => {
    for (let n = 0; n < 2_000; n += 1) journal.append('call', { n, text: 'x'.repeat(2_000) })
  })
  let written = 0
  const stopWriting = every(5, () => {
    database.durably(() => journal.append('call', { from: 'the server' }))
    written += 1
  })
  // In a process of its own, as this one writes.
  const { code, output } = await jarvis(dir, 'backup', file)
  stopWriting()
  expect(output).toMatch(/^Backed up to .*: \d+\.\d MB, \d+ journal entries, 1 file, checked\.\n/)
  expect(code).toBe(0)
  expect(written).toBeGreaterThan(10)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(file, '..'))).toEqual(['backup.db'])
  await close()

  const kept = readFileSync(file)
  expect(await jarvisHere(dir, 'backup', file)).toMatchObject({
    code: 2,
    output: `${file} exists. --force overwrites it.`,
  })
  expect(readFileSync(file).equals(kept)).toBe(true)
  expect((await jarvisHere(dir, 'backup', join(dir, 'jarvis.db'), '--force')).code).toBe(2)

  const fresh = folder()
  copyFileSync(keyFileOf(dir), join(fresh, 'secrets.key'))
  expect((await jarvisHere(fresh, 'restore', '--yes', file)).code).toBe(0)
  const restored = openJournal(fresh)
  expect(await restored.journal.verify()).toMatchObject({ ok: true })
  await restored.close()
})

test('a restore brings back files beside the database, and keeps those that were written since', async () => {
  const dir = folder()
  const file = join(folder(), 'backup.db')
  await openJournal(dir).close()
  const place = (path: string) => join(dir, path)
  mkdirSync(place('workspace/memory'), { recursive: true })
  writeFileSync(place('workspace/MEMORY.md'), 'The UPS lasts eleven minutes.')
  writeFileSync(place('workspace/memory/2026-01-31.md'), 'Ü')
  writeFileSync(place('workspace/blob.log'), Buffer.from([0, 1]))
  writeFileSync(place('policy.yaml'), 'protected: [vm/105]\n')
  const servers = '{"mcpServers":{"notes":{"url":"http://nas/mcp","headers":{"authorization":"Bearer s3cret"}}}}'
  writeFileSync(place('mcp.json'), servers)
  writeFileSync(place('memory.db'), 'derived')
  expect((await jarvisHere(dir, 'backup', file)).output).toMatch(
    /5 files, checked\.\nworkspace\/blob\.log is not in it\. .*zero[\s\S]*\nNOT sealed in it: mcp\.json\/notes\/headers\/authorization\./,
  )

  writeFileSync(place('workspace/MEMORY.md'), 'Newer.')
  rmSync(place('workspace/memory'), { recursive: true })
  writeFileSync(place('policy.yaml'), '')
  rmSync(place('mcp.json'))
  writeFileSync(place('workspace/since.md'), 'stays')
  const { code, output } = await jarvisHere(dir, 'restore', '--yes', file, '--backup-rules')
  expect(output).toContain('4 were put back')
  expect(code).toBe(0)
  expect(readFileSync(place('workspace/MEMORY.md'), 'utf8')).toBe('The UPS lasts eleven minutes.')
  expect(readFileSync(place('workspace/memory/2026-01-31.md'), 'utf8')).toBe('Ü')
  expect(readFileSync(place('policy.yaml'), 'utf8')).toBe('protected: [vm/105]\n')
  expect(readFileSync(place('mcp.json'), 'utf8')).toBe(servers)
  expect(statSync(place('mcp.json')).mode & 0o777).toBe(0o600)
  expect(readFileSync(place('workspace/since.md'), 'utf8')).toBe('stays')
  const kept = readdirSync(place('workspace')).find((name) => name.startsWith('MEMORY.md.before-restore-'))
  expect(readFileSync(place(`workspace/${kept}`), 'utf8')).toBe('Newer.')
  const sql = new Sqlite(place('jarvis.db'), { readonly: true })
  expect(sql.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'backup%'").all()).toEqual([])
  sql.close()
})

test('rules that were made stricter or taken away since stay so after a restore, and the difference is shown before', async () => {
  const dir = folder()
  const file = join(folder(), 'backup.db')
  const { journal, close } = openJournal(dir)
  journal.append('call', { n: 1 })
  await close()
  const place = (path: string) => join(dir, path)
  const read = (path: string) => (existsSync(place(path)) ? readFileSync(place(path), 'utf8') : undefined)
  writeFileSync(place('policy.yaml'), 'tiers: {stop_vm: yellow}\n')
  writeFileSync(place('agents.yaml'), 'helper: {tools: [destroy_guest]}\n')
  expect((await jarvisHere(dir, 'backup', file)).code).toBe(0)
  writeFileSync(place('policy.yaml'), 'tiers: {stop_vm: black}\n')
  rmSync(place('agents.yaml'))

  // Without a terminal nobody is asked, and nothing is restored.
  const unasked = await jarvisHere(dir, 'restore', file)
  expect(unasked).toMatchObject({
    code: 1,
    output: expect.stringMatching(/operator {2}owner[\s\S]*Nothing was changed: /),
  })
  expect(readdirSync(dir).filter((name) => name.includes('restore'))).toEqual([])

  const { code, output } = await jarvisHere(dir, 'restore', '--yes', file)
  expect(code).toBe(0)
  expect(output).toMatch(
    /policy\.yaml stays as it is here, because [^\n]*--backup-rules [^\n]*\n[\s\S]*-tiers: \{stop_vm: black\}\n *\+tiers: \{stop_vm: yellow\}/,
  )
  expect(output).toMatch(/agents\.yaml is not here, and stays away[\s\S]*\+helper: \{tools: \[destroy_guest\]\}/)
  expect(output.indexOf('policy.yaml stays')).toBeLessThan(output.indexOf('Restored the backup'))
  expect(read('policy.yaml')).toBe('tiers: {stop_vm: black}\n')
  expect(read('agents.yaml')).toBeUndefined()
  const beside = readdirSync(dir).filter((name) => name.includes('.of-backup-'))
  expect(beside.map((name) => name.replace(/\.of-backup-.*/, '')).sort()).toEqual(['agents.yaml', 'policy.yaml'])
  expect(beside.map((name) => statSync(place(name)).mode & 0o777)).toEqual([0o600, 0o600])

  // A new data dir has no rules that could be weakened, and says who and what comes.
  const fresh = folder()
  copyFileSync(keyFileOf(dir), join(fresh, 'secrets.key'))
  const anew = await jarvisHere(fresh, 'restore', '--yes', file)
  expect(anew.output).toMatch(/operator {2}owner, comes back[\s\S]*policy\.yaml comes back\. The backup's has:/)
  expect(readFileSync(join(fresh, 'policy.yaml'), 'utf8')).toBe('tiers: {stop_vm: yellow}\n')

  // The rules of an unproven backup are restored on demand alone.
  const unproven = async (...more: string[]) => {
    const empty = folder()
    const { code, output } = await jarvisHere(empty, 'restore', '--yes', '--unproven', file, ...more)
    return { code, output, isThere: existsSync(join(empty, 'policy.yaml')) }
  }
  expect(await unproven()).toMatchObject({
    code: 0,
    isThere: false,
    output: expect.stringMatching(/policy\.yaml is not here, and stays away, because nobody vouches/),
  })
  expect(await unproven('--backup-rules')).toMatchObject({ code: 0, isThere: true })

  const taken = await jarvisHere(dir, 'restore', '--yes', file, '--backup-rules')
  expect(taken.output).toContain('policy.yaml is replaced.')
  expect([read('policy.yaml'), read('agents.yaml')]).toEqual([
    'tiers: {stop_vm: yellow}\n',
    'helper: {tools: [destroy_guest]}\n',
  ])
})

const outsized: [what: string, statement: string, words: string][] = [
  [
    'a value of 200 MB',
    `INSERT INTO settings VALUES ('x', printf('%.*c', 200 * 1024 * 1024, 'x'))`,
    'a value of 200 MB in its table settings',
  ],
  [
    'a million files',
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
     INSERT INTO backup_files SELECT 'workspace/' || i, '' FROM n`,
    '1000000 rows of 16 MB in its table backup_files',
  ],
]
test.each(rowsOf(outsized, 1))(
  'a backup with %s is refused before it is read, and nothing is changed',
  async (...row) => {
    const [, statement, words] = row
    const { dir, file } = await backedUp()
    const sql = new Sqlite(file)
    sql.exec(statement)
    sql.close()
    const before = readFileSync(join(dir, 'jarvis.db'))
    await expect(restore(dir, { file, now: Date.now(), evenBroken: true })).rejects.toThrow(words)
    expect(readFileSync(join(dir, 'jarvis.db')).equals(before)).toBe(true)
    expect(readdirSync(dir).filter((name) => /restor/.test(name))).toEqual([])
  },
)

test('a backup cannot write outside of the workspace', async () => {
  const dir = folder()
  const file = join(folder(), 'backup.db')
  const { database, close } = openJournal(dir)
  await backUp(database, { ...quiet, file, files: [{ path: 'workspace/../../escaped.md', text: 'x' }] })
  await close()
  expect(await jarvisHere(dir, 'restore', '--yes', file, '--unproven')).toMatchObject({
    code: 1,
    output: expect.stringContaining('"workspace/../../escaped.md", which is no place'),
  })
  expect(existsSync(join(dir, '../escaped.md'))).toBe(false)
  expect(readdirSync(dir).filter((name) => name.includes('restor'))).toEqual([])
  expect((await jarvisHere(dir, 'restore', '--yes', file, file)).code).toBe(2)
  await expect(restore(dir, { file: `${file}.gone`, now: Date.now(), evenBroken: false })).rejects.toThrow()
})

test('writes of another process do not start the copy over', async () => {
  const dir = folder()
  const server = openJournal(dir)
  server.database.atomically(() => {
    for (let n = 0; n < 2_000; n += 1) server.journal.append('call', { n, text: 'x'.repeat(4_000) })
  })
  const cli = openJournal(dir)
  const ratios: number[] = []
  const { head } = await backUp(cli.database, {
    now: 1,
    file: join(dir, 'backup.db'),
    progress(ratio) {
      ratios.push(ratio)
      server.journal.append('call', {})
    },
  })
  expect(ratios.length).toBeGreaterThan(2)
  expect(ratios).toEqual(ratios.toSorted((a, b) => a - b))
  expect(head.seq).toBe(2_000)
  await cli.close()
  await server.close()
})

test('a restore keeps the old database, is journalled, and the anchor agrees', async () => {
  const { dir, file } = await backedUp()
  const { code, output } = await jarvisHere(dir, 'restore', '--yes', '--unproven', file)
  expect(output).toMatch(
    /\nRestored the backup of .* UTC to .*jarvis\.db, journal entry 4\. The one before is kept as /,
  )
  expect(code).toBe(0)
  const { journal, close } = openJournal(dir)
  expect(await journal.verify()).toEqual({ ok: true, entries: 4 })
  expect((await journal.page({ limit: 1 })).items).toMatchObject([
    { seq: 4, kind: 'restore', body: { by: 'cli', file: 'jarvis-backup.db', before: { seq: 5 } } },
  ])
  await close()
  const kept = readdirSync(dir).filter((name) => name.startsWith('jarvis.db.before-restore-'))
  expect(kept).toHaveLength(1)
  const before = new Sqlite(join(dir, kept[0] ?? ''), { readonly: true })
  expect(before.prepare('SELECT MAX(seq) AS last FROM journal').get()).toEqual({ last: 5 })
  before.close()
})

test('a damaged database is replaced, and kept as it was', async () => {
  const { dir, file } = await backedUp()
  const noise = Buffer.alloc(20_000, 0xab)
  writeFileSync(join(dir, 'jarvis.db'), noise)
  const done = await restore(dir, { file, now: Date.now(), evenBroken: false })
  expect(readFileSync(done?.kept ?? '').equals(noise)).toBe(true)
  const { journal, close } = openJournal(dir)
  expect(await journal.verify()).toEqual({ ok: true, entries: 4 })
  await close()
})

test.each([
  ['noise', (file: string) => writeFileSync(file, 'no database'.repeat(1_000)), /no backup of JARVIS/],
  [
    'another program’s database',
    (file: string) => {
      writeFileSync(file, '')
      new Sqlite(file).exec('CREATE TABLE theirs (id)').close()
    },
    /no backup of JARVIS/,
  ],
  ['a newer schema', (file: string) => new Sqlite(file).exec('PRAGMA user_version = 99').close(), /newer JARVIS/],
  [
    'a doctored journal',
    (file: string) => new Sqlite(file).exec(`UPDATE journal SET body = '{}' WHERE seq = 2`).close(),
    /Entry 2 is not as it was written/,
  ],
  [
    'a journal cut off after the backup was made',
    (file: string) => new Sqlite(file).exec('DELETE FROM journal WHERE seq = 3').close(),
    /not the one that was backed up/,
  ],
  [
    'a trigger of its own',
    (file: string) =>
      new Sqlite(file)
        .exec('CREATE TRIGGER more AFTER INSERT ON journal BEGIN UPDATE people SET role = 1; END')
        .close(),
    /"trigger more" differs/,
  ],
  [
    'a view in place of a table',
    (file: string) =>
      new Sqlite(file)
        .exec('DROP TABLE backup; CREATE VIEW backup AS SELECT 1 AS at, 3 AS seq, hash FROM journal')
        .close(),
    /"view backup"/,
  ],
  [
    'a damaged page',
    (file: string) => {
      const bytes = readFileSync(file)
      bytes.fill(0xab, bytes.length - 8_192)
      writeFileSync(file, bytes)
    },
    /cannot be used/,
  ],
])('a backup with %s is not restored, and nothing is changed', async (_what, spoil, message) => {
  const { dir, file } = await backedUp()
  spoil(file)
  const before = readdirSync(dir)
  await expect(restore(dir, { file, now: Date.now(), evenBroken: false })).rejects.toThrow(message)
  expect(readdirSync(dir)).toEqual(before)
  const { journal, close } = openJournal(dir)
  expect(await journal.verify()).toEqual({ ok: true, entries: 5 })
  await close()
})

test('nothing is restored under a running server', async () => {
  const { dir, file } = await backedUp()
  await startJarvis({ dataDir: dir })
  expect(await jarvisHere(dir, 'restore', '--yes', file)).toMatchObject({
    code: 1,
    output: expect.stringContaining('Another JARVIS'),
  })
})

test('calls that may have run since the backup do not run again, and waiting cards expire', async () => {
  const dataDir = folder()
  const file = join(folder(), 'backup.db')
  const first = await startJarvis({
    dataDir,
    model: scripted(calls(['stop_vm', { vmid: 103 }]), says('Stopped.'), calls(['stop_vm', { vmid: 101 }])),
  })
  const screen = await first.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Stop 103.' })
  const card = await screen.next('chat:confirm_needed')
  const { database, close } = openJournal(dataDir)
  await backUp(database, { ...quiet, file })
  await close()
  await screen.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  await screen.next('chat:done')
  await first.stop()

  // A second backup, as it would be had the decision been kept and the claim not yet made.
  const decided = join(folder(), 'decided.db')
  copyFileSync(file, decided)
  new Sqlite(decided)
    .exec(`UPDATE confirmations SET decision = 'approved', decided_by = 'operator', decided_at = ${Date.now()}`)
    .close()
  for (const [backup, outcome] of [
    [file, /expired/],
    [decided, /I do not know whether this ran/],
  ] as const) {
    await restore(dataDir, { file: backup, now: Date.now(), evenBroken: false })
    const again = await startJarvis({ dataDir, model: scripted(says('Very well.')) })
    const second = await again.connect()
    await second.ask('chat:attach', { sessionId })
    await expect
      .poll(async () => (await second.ask('chat:attach', { sessionId })).snapshot.entries.at(-1)?.type)
      .toBe('done')
    const { snapshot } = await second.ask('chat:attach', { sessionId })
    expect(JSON.stringify(snapshot.entries)).toMatch(outcome)
    expect(again.controls.effects).toEqual([])
    await again.stop()
  }
  expect(existsSync(join(dataDir, 'jarvis.db.restoring'))).toBe(false)
})

test('a restore ends grants, and a card that had taken another one’s place expires', async () => {
  const dataDir = folder()
  const file = join(folder(), 'backup.db')
  const first = await startJarvis({
    dataDir,
    model: scripted(calls(['restart_vm', { vmid: 103 }]), says('Restarted.'), calls(['stop_vm', { vmid: 103 }])),
  })
  const screen = await first.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Restart 103.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: true, grant: { uses: 5 } })
  await screen.next('chat:done')
  await screen.ask('chat:send', { sessionId, message: 'Stop 103.' })
  const card = await screen.next('chat:confirm_needed')
  first.controls.migrateGuest(103, 'agent')
  await screen.request('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  const { database, close } = openJournal(dataDir)
  await backUp(database, { ...quiet, file })
  await close()
  await first.stop()

  await restore(dataDir, { file, now: Date.now(), evenBroken: false })
  const again = await startJarvis({ dataDir, model: scripted(says('Very well.')) })
  expect(await (await again.rest('/api/grants')).json()).toEqual({ items: [] })
  const second = await again.connect()
  await expect
    .poll(async () => (await second.ask('chat:attach', { sessionId })).snapshot.entries.at(-1)?.type)
    .toBe('done')
  const { entries } = (await second.ask('chat:attach', { sessionId })).snapshot
  expect(entries.findLast(({ type }) => type === 'confirm_resolved')).toMatchObject({
    decision: 'expired',
    callId: card.toolUseId,
  })
})
