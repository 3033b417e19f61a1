import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { createApiTokens } from '../../../auth/api-tokens.ts'
import { hashToken } from '../../../auth/tokens.ts'
import { SqlitePersonStore } from '../access/people.ts'
import { SqliteApiTokenStore } from '../access/tokens.ts'
import { SqliteRecipientStore } from '../channels/recipients.ts'
import { openDatabase } from '../database.ts'
import { SqliteTranscriptStore } from '../sessions/transcript.ts'
import { migrations } from './index.ts'

/** How many migrations stand in the files `released-*.ts`, and the digest of their text. */
const released = { count: 59, sha256: '55534dd5bdbfac116ea5a0185bced3773a254a1018f3a0093c0bb3aa73d687e3' }

test('the released migrations are what they were, to the byte', () => {
  const text = JSON.stringify(migrations.slice(0, released.count))
  expect(createHash('sha256').update(text).digest('hex')).toBe(released.sha256)
})

test('each later migration is one file, whose number is its place in the list', async () => {
  const names = readdirSync(import.meta.dirname).filter(
    (name) => !/^(index|migrations\.test|released-\d+-\d+)\.ts$/.test(name),
  )
  expect(names.filter((name) => !/^\d{4}-[a-z0-9-]+\.ts$/.test(name))).toEqual([])
  const byNumber = await Promise.all(
    names.map(
      async (name) =>
        [
          Number(name.slice(0, 4)),
          Object.values(await import(pathToFileURL(join(import.meta.dirname, name)).href)),
        ] as const,
    ),
  )
  expect(byNumber).toEqual(migrations.slice(released.count).map((sql, at) => [released.count + at + 1, [sql]]))
})

test('a database of the first schema keeps its runs and their entries', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'jarvis.db')
  const old = new Sqlite(path)
  old.exec(`${migrations[0]}
    INSERT INTO sessions (id, title, source, created_at, updated_at) VALUES ('ses_1', 'First', 'chat', 1, 2);
    INSERT INTO runs (id, session_id, position, status, source, message_id, text, by, created_at, partial)
      VALUES ('run_1', 'ses_1', 0, 'running', 'chat', 'msg_1', 'How is pve?', 'operator', 3, 'It is');
    INSERT INTO entries VALUES ('ses_1', 0, 'run_1', 'user', 1, '{"at":3,"text":"How is pve?"}');
    PRAGMA user_version = 1`)
  old.close()

  const database = openDatabase(path)
  const store = new SqliteTranscriptStore(database)
  expect(store.unfinishedRuns('ses_1')).toMatchObject([{ id: 'run_1', position: 0, at: 3, partial: 'It is' }])
  expect(store.entriesOfRun('run_1')).toEqual([{ type: 'user', seq: 0, runId: 'run_1', at: 3, text: 'How is pve?' }])
  database.close()
})

test('unfinished runs and entries of an older version say where they come from', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'jarvis.db')
  const old = new Sqlite(path)
  const before = migrations.findIndex((sql) => sql.includes('runs_with_origin'))
  for (const sql of migrations.slice(0, before)) old.exec(sql)
  const turn = (model: string, type: string) =>
    JSON.stringify({ at: 3, model, content: [{ type, text: 'x' }], stopReason: 'tool_use' })
  old.exec(`
    INSERT INTO sessions (id, title, source, created_at, updated_at) VALUES ('ses_1', 'First', 'chat', 1, 2);
    INSERT INTO runs (id, session_id, position, status, source, message_id, text, by, created_at, partial, model) VALUES
      ('run_1', 'ses_1', 0, 'running', 'chat', 'msg_1', 'How is pve?', 'operator', 3, 'It is', 'anthropic/claude'),
      ('run_2', 'ses_1', 1, 'queued', 'chat', 'msg_2', '/get_vms', 'operator', 4, '', NULL),
      ('run_3', 'ses_1', 2, 'stopping', 'mcp', 'msg_3', '', 'probe', 5, '', NULL),
      ('run_4', 'ses_1', 3, 'running', 'mcp', 'msg_4', '', 'probe', 6, '', NULL);
    INSERT INTO kept_runs VALUES ('run_4', 'ses_1', 'laptop', 6);
    INSERT INTO entries VALUES
      ('ses_1', 0, 'run_1', 'assistant', 0, '${turn('anthropic/claude', 'text')}'),
      ('ses_1', 1, 'run_1', 'assistant', 0, '${turn('command', 'tool_call')}'),
      ('ses_1', 2, 'run_1', 'assistant', 0, '${turn('command', 'text')}'),
      ('ses_1', 3, 'run_1', 'assistant', 1, '${turn('mcp', 'tool_call')}');
    PRAGMA user_version = ${before}`)
  old.close()

  const database = openDatabase(path)
  onTestFinished(() => database.close())
  const store = new SqliteTranscriptStore(database)
  expect(store.unfinishedRuns('ses_1')).toMatchObject([
    { id: 'run_1', at: 3, partial: 'It is', origin: { kind: 'chat', messageId: 'msg_1', text: 'How is pve?' } },
    { id: 'run_2', at: 4, origin: { kind: 'chat', messageId: 'msg_2', text: '/get_vms', by: 'operator' } },
    { id: 'run_3', at: 5, status: 'stopping', origin: { kind: 'mcp', client: 'probe' } },
    { id: 'run_4', at: 6, origin: { kind: 'mcp', client: 'probe', token: 'laptop' } },
  ])
  expect(store.unfinishedRuns('ses_1').map(({ origin }) => 'model' in origin && origin.model)).toEqual([
    'anthropic/claude',
    ...[false, false, false],
  ])
  const makers = store.entriesOfRun('run_1').map((entry) => entry.type === 'assistant' && (entry.madeBy ?? entry.model))
  expect(makers).toEqual(['anthropic/claude', 'operator', 'jarvis', 'client'])
})

test('branches of an older version become versions where a message was edited, and stay sessions elsewhere', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'jarvis.db')
  const old = new Sqlite(path)
  const before = migrations.findIndex((sql) => sql.includes('version_of'))
  for (const sql of migrations.slice(0, before)) old.exec(sql)
  const insert = old.prepare(
    `INSERT INTO sessions (id, title, source, created_at, updated_at, branched_from, branched_entry, copied_below)
     VALUES (@id, @id, 'chat', @at, @at, @from, @entry, @below)`,
  )
  for (const [at, [id, from, entry, below]] of (
    [
      ['first', null, null, 0],
      ['edited', 'first', 10, 10],
      // The edited message, edited again; then a later one of that session; then the first one of all.
      ['edited again', 'edited', 10, 10],
      ['later', 'edited again', 30, 30],
      ['begun anew', 'later', 0, 0],
      ['branched after an answer', 'edited', 12, 14],
      ['of a deleted session', 'gone', 10, 10],
    ] as const
  ).entries()) {
    insert.run({ id, at, from, entry, below })
  }
  old.pragma(`user_version = ${before}`)
  old.close()

  const database = openDatabase(path)
  onTestFinished(() => database.close())
  const store = new SqliteTranscriptStore(database)
  const family = (id: string) => store.family(id).map(({ id, of, at }) => [id, of, at])
  expect(family('later').toSorted()).toEqual([
    ['begun anew', 'first', 0],
    ['edited again', 'first', 10],
    ['edited', 'first', 10],
    ['first', undefined, undefined],
    ['later', 'edited again', 30],
  ])
  for (const id of ['branched after an answer', 'of a deleted session']) {
    expect(family(id)).toEqual([[id, undefined, undefined]])
  }
})

test('tokens of MCP clients of an older version stay, as tokens of the door mcp, with their consents', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'jarvis.db')
  const old = new Sqlite(path)
  const before = migrations.findIndex((sql) => sql.includes('RENAME TO api_tokens'))
  for (const sql of migrations.slice(0, before)) old.exec(sql)
  old.exec(`
    INSERT INTO mcp_tokens VALUES
      ('laptop', '${hashToken('jmcp_abcdEFGH12345678')}', 0, 3, NULL, 4),
      ('reader', 'h2', 1, 3, 99, NULL),
      ('editor-1', 'consent editor-1', 0, 3, 99, NULL);
    INSERT INTO oauth_clients VALUES ('cl_1', 'Editor', '[]', 3);
    INSERT INTO oauth_consents VALUES ('editor-1', 'cl_1', 'Editor', 'http://jarvis/mcp');
    PRAGMA user_version = ${before}`)
  old.close()

  const database = openDatabase(path)
  onTestFinished(() => database.close())
  const store = new SqliteApiTokenStore(database)
  const mcp = { doors: ['mcp'], calls: 0, createdAt: 3 }
  expect(store.list()).toEqual([
    { ...mcp, name: 'editor-1', scope: 'ask', expiresAt: 99, clientName: 'Editor' },
    { ...mcp, name: 'laptop', scope: 'ask', lastUsedAt: 4 },
    { ...mcp, name: 'reader', scope: 'read', expiresAt: 99 },
  ])
  const tokens = createApiTokens({ store, durably: database.durably, record: () => {}, now: () => 5 })
  expect(tokens.verify('jmcp_abcdEFGH12345678', 'mcp').name).toBe('laptop')
  // A consent still ends with its token.
  tokens.revoke('editor-1', 'operator')
  expect(database.sql.prepare('SELECT * FROM oauth_consents').all()).toEqual([])
})

test('an installation of one operator has that operator as its owner, and the tokens are the owner’s', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'jarvis.db')
  const old = new Sqlite(path)
  const before = migrations.findIndex((sql) => sql.includes('CREATE TABLE people'))
  for (const sql of migrations.slice(0, before)) old.exec(sql)
  old.exec(`
    INSERT INTO api_tokens (name, hash, created_at, doors, scope) VALUES ('laptop', 'h1', 3, 'mcp', 'ask');
    INSERT INTO push_devices (id, sub, endpoint, p256dh, auth, label, hides_names, created_at)
      VALUES ('dev_1', 'operator', 'https://push.example/1', 'key', 'secret', 'Phone', 1, 3);
    PRAGMA user_version = ${before}`)
  old.close()

  const database = openDatabase(path)
  onTestFinished(() => database.close())
  expect(new SqlitePersonStore(database).list()).toMatchObject([{ id: 'operator', name: 'operator', role: 'owner' }])
  expect(new SqliteApiTokenStore(database).byHash('h1')).toEqual({
    calls: 0,
    name: 'laptop',
    doors: ['mcp'],
    scope: 'ask',
    createdAt: 3,
  })
  expect(new SqliteRecipientStore(database).list('webpush')).toMatchObject([{ id: 'dev_1', person: 'operator' }])
})

test('a program of mcp.json that ran before programs waited is known by its origin', () => {
  const old = new Sqlite(':memory:')
  const before = migrations.findIndex((sql) => sql.includes('attached_programs'))
  for (const sql of migrations.slice(0, before)) old.exec(sql)
  old.exec("INSERT INTO attached_servers (name, origin, tools) VALUES ('fs', 'hash', '[]')")
  old.exec(migrations[before] ?? '')
  const known = old.prepare('SELECT server, hash, allowed_by FROM attached_programs').all()
  expect(known).toEqual([{ server: 'fs', hash: 'hash', allowed_by: '' }])
})
