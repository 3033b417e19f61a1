import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { checkProof, makeSecrets, prove, rotate } from 'secrets'
import { expect, test } from 'vitest'
import { backUp } from '../src/store/sqlite/backup.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { type Restored, restore } from '../src/store/sqlite/restore.ts'
import { fates } from '../src/store/sqlite/restore-rights.ts'
import { jarvisHere } from './support/command-here.ts'
import { folder, keyFileOf, openJournal } from './support/data-dir.ts'

const now = Date.now()

/** Everything that gives somebody a right, each once; `name` sets what is of one moment apart from another. */
const rights = (owner: string) => `
  INSERT INTO people (id, name, role, password_hash, created_at) VALUES ('per_ann', 'Ann', 'owner', 'old', 1),
    ('per_ben', 'Ben', 'owner', 'old', 1), ('per_cia', 'Cia', 'operator', 'old', 1), ('per_dan', 'Dan', '${owner}', 'old', 1);
  INSERT INTO sign_ins (id, person, hash, address, client, method, created_at, last_seen_at, ends_at)
    VALUES ('s', 'per_ann', 'h', '', '', 'password', 1, 1, 9e15);
  INSERT INTO links (id, kind, hash, by, role, created_at, expires_at) VALUES ('l', 'join', 'h', 'per_ann', 'owner', 1, 9e15);
  INSERT INTO api_tokens (name, hash, doors, scope, created_at) VALUES ('kept', 'a', 'mcp', 'ask', 1), ('gone', 'b', 'mcp', 'ask', 1);
  INSERT INTO passkeys VALUES ('kept', 'per_ann', '', '', '', '', '', 0, '[]', 0, 1, NULL), ('gone', 'per_ann', '', '', '', '', '', 0, '[]', 0, 1, NULL);
  INSERT INTO channel_recipients (id, channel, account, person, user, chat, name, decides, hides_names, talks, created_at)
    VALUES ('kept', 'telegram', '', 'per_ann', '1', '1', '', 'approve', 0, 1, 1), ('gone', 'telegram', '', 'per_ann', '2', '2', '', 'approve', 0, 1, 1);
  INSERT INTO second_factors VALUES ('per_cia', 'old seed', 1, 0);
  INSERT INTO recovery_codes VALUES ('per_cia', 1, 'a'), ('per_cia', 2, 'b');
  INSERT INTO skills VALUES ('main', 'withdrawn', '{}', '[]', NULL);
  INSERT INTO attached_tiers VALUES ('fs', 'write', 'h', 'green', 'per_ann', 1, NULL);
  INSERT INTO jobs VALUES ('job_gone', 1, '{"id":"job_gone","state":"active"}'), ('job_paused', 1, '{"id":"job_paused","state":"active"}'),
    ('job_on', 1, '{"id":"job_on","state":"active"}');
  INSERT INTO settings VALUES ('profile', 'permissive'), ('pveHook', 'old');`

const taken = `
  UPDATE people SET removed_at = 5, password_hash = NULL WHERE id = 'per_ann';
  UPDATE people SET role = 'viewer', password_hash = 'new' WHERE id = 'per_ben';
  UPDATE people SET disabled_at = 5 WHERE id = 'per_dan';
  DELETE FROM sign_ins; DELETE FROM links;
  DELETE FROM api_tokens WHERE name = 'gone'; UPDATE api_tokens SET scope = 'read';
  DELETE FROM passkeys WHERE id = 'gone'; DELETE FROM channel_recipients WHERE id = 'gone';
  UPDATE second_factors SET seed = 'new seed'; DELETE FROM recovery_codes WHERE number = 1;
  DELETE FROM skills; DELETE FROM attached_tiers;
  DELETE FROM jobs WHERE id = 'job_gone'; UPDATE jobs SET facts = '{"id":"job_paused","state":"paused"}' WHERE id = 'job_paused';
  UPDATE settings SET value = 'lockdown' WHERE key = 'profile'; DELETE FROM settings WHERE key = 'pveHook';
  INSERT INTO revoked_tokens VALUES ('token', 9e15);`

/** A data dir with a backup of all rights. @param since what happened after it */
async function backedUp(since: string) {
  const dir = folder()
  const file = join(folder(), 'backup.db')
  const { database, journal, close } = openJournal(dir)
  journal.append('call', { n: 1 })
  database.sql.exec(rights('operator'))
  await backUp(database, { now, file, progress: () => {} })
  database.sql.exec(since)
  await close()
  return { dir, file }
}

function inDir<T>(dir: string, query: string): T[] {
  const sql = new Sqlite(join(dir, 'jarvis.db'), { readonly: true })
  try {
    return sql.prepare<[], T>(query).pluck().all()
  } finally {
    sql.close()
  }
}

test('each table has its fate in a restore', () => {
  const { sql, close } = openDatabase(':memory:')
  const tables = sql
    .prepare<[], string>("SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main'")
    .pluck()
    .all()
    .filter((name) => !name.startsWith('sqlite_'))
  close()
  expect(tables.filter((name) => fates[name] === undefined)).toEqual([])
})

test('what was taken since the backup stays taken, and what a thief would use has ended', async () => {
  const { dir, file } = await backedUp(taken)
  const shown: Restored['rights'][] = []
  await restore(dir, { file, now, evenBroken: false, agree: (ready) => shown.push(ready.rights) > 0 })
  expect(shown[0]).toEqual({
    replaced: 'same',
    people: [
      { name: 'Ben', role: 'viewer', isDisabled: false, isBack: false },
      { name: 'Cia', role: 'operator', isDisabled: false, isBack: false },
      { name: 'Dan', role: 'operator', isDisabled: true, isBack: false },
      { name: 'operator', role: 'owner', isDisabled: false, isBack: false },
    ],
    stay: [
      { name: 'Ann', as: 'removed' },
      { name: 'Ben', as: 'viewer' },
      { name: 'Dan', as: 'disabled' },
    ],
    tokens: [],
  })
  const rows = (query: string) => inDir(dir, query)
  expect(rows("SELECT password_hash FROM people WHERE id IN ('per_ann', 'per_ben') ORDER BY id")).toEqual([null, 'new'])
  for (const table of ['sign_ins', 'links', 'skills', 'attached_tiers'])
    expect(rows(`SELECT 1 FROM ${table}`)).toEqual([])
  expect(rows("SELECT name || ' ' || scope FROM api_tokens")).toEqual(['kept read'])
  expect(rows('SELECT id FROM passkeys')).toEqual(['kept'])
  expect(rows("SELECT id || ' ' || decides || ' ' || talks FROM channel_recipients")).toEqual(['kept none 0'])
  expect(rows('SELECT seed FROM second_factors')).toEqual(['new seed'])
  expect(rows('SELECT number FROM recovery_codes')).toEqual([2])
  expect(rows("SELECT id || ' ' || (facts ->> '$.state') FROM jobs ORDER BY id")).toEqual([
    'job_gone paused',
    'job_on active',
    'job_paused paused',
  ])
  expect(rows("SELECT value FROM settings WHERE key IN ('profile', 'pveHook')")).toEqual(['lockdown'])
  expect(rows('SELECT hash FROM revoked_tokens')).toEqual(['token'])
  expect(Number(rows("SELECT value FROM settings WHERE key = 'tokens_valid_from'")[0])).toBe(
    Math.floor(now / 1_000) * 1_000,
  )
})

test('nothing is changed where the operator does not agree', async () => {
  const { dir, file } = await backedUp(taken)
  expect(await restore(dir, { file, now, evenBroken: false, agree: () => false })).toBeUndefined()
  expect(inDir(dir, "SELECT role FROM people WHERE id = 'per_ben'")).toEqual(['viewer'])
  expect(existsSync(join(dir, `jarvis.db.before-restore-${new Date(now).toISOString().replace(/[:.]/g, '-')}`))).toBe(
    false,
  )
})

test.each([
  ['no database', (dir: string) => rmSync(join(dir, 'jarvis.db')), 'none'],
  ['a damaged one', (dir: string) => writeFileSync(join(dir, 'jarvis.db'), Buffer.alloc(9_000, 7)), 'damaged'],
  [
    'one of another installation',
    (dir: string) => {
      rmSync(join(dir, 'jarvis.db'))
      openDatabase(join(dir, 'jarvis.db')).close()
    },
    'other',
  ],
])(
  'with %s in place it is said that everybody comes back; sign-ins and channels end all the same',
  async (_what, put, replaced) => {
    const { dir, file } = await backedUp(taken)
    put(dir)
    const done = await restore(dir, { file, now, evenBroken: false })
    expect(done?.rights).toMatchObject({ replaced, tokens: ['gone', 'kept'] })
    expect(done?.rights.people.map(({ name, isBack }) => `${name} ${isBack}`)).toEqual([
      'Ann true',
      'Ben true',
      'Cia true',
      'Dan true',
      'operator true',
    ])
    expect(inDir(dir, 'SELECT 1 FROM sign_ins UNION ALL SELECT 1 FROM links')).toEqual([])
    expect(inDir(dir, 'SELECT DISTINCT decides FROM channel_recipients')).toEqual(['none'])
  },
)

test('a person, job, skill or token that only an unproven backup knows gets no right', async () => {
  const { dir, file } = await backedUp('')
  new Sqlite(file)
    .exec(`INSERT INTO people (id, name, role, password_hash, created_at) VALUES ('per_eve', 'Eve', 'owner', 'x', 1);
      UPDATE people SET role = 'owner', password_hash = 'x' WHERE id = 'per_cia';
      INSERT INTO api_tokens (name, hash, doors, scope, created_at) VALUES ('eve', 'x', 'mcp', 'ask', 1);
      UPDATE jobs SET facts = '{"id":"job_on","state":"active","work":"hers"}' WHERE id = 'job_on';
      INSERT INTO jobs VALUES ('job_eve', 1, '{"id":"job_eve","state":"active","isShipped":true}');`)
    .close()
  const done = await restore(dir, { file, now, evenBroken: false, prove: () => false })
  expect(done?.rights.people.map(({ name, role }) => `${name} ${role}`)).toEqual([
    'Ann owner',
    'Ben owner',
    'Cia operator',
    'Dan operator',
    'operator owner',
  ])
  expect(inDir(dir, "SELECT password_hash FROM people WHERE id = 'per_cia'")).toEqual(['old'])
  expect(inDir(dir, "SELECT name FROM api_tokens WHERE name = 'eve'")).toEqual([])
  expect(inDir(dir, "SELECT facts FROM jobs WHERE id IN ('job_on', 'job_eve') ORDER BY id")).toEqual([
    expect.stringContaining('"state":"paused"'),
    '{"id":"job_on","state":"active"}',
  ])
  expect(inDir(dir, 'SELECT 1 FROM skills UNION ALL SELECT 1 FROM attached_tiers')).toEqual([])
})

test('a proof holds for exactly the bytes, on any machine with the master key, and after that key was changed', () => {
  const dir = folder()
  makeSecrets(dir, {}, { hasSealed: () => false, now })
  const made = join(folder(), 'backup.db')
  writeFileSync(made, Buffer.alloc(3_000_000, 1))
  expect(prove(made, dir, {})).toBe(true)
  const check = (spoil: (bytes: Buffer) => Buffer, of = dir) => {
    const copy = `${made}.copy`
    writeFileSync(copy, spoil(readFileSync(made)))
    const found = checkProof(copy, of, {})
    return { ...found, bytes: readFileSync(copy).length }
  }
  expect(check((bytes) => bytes)).toEqual({ is: 'proven', bytes: 3_000_000 })
  for (const at of [0, 1_500_000, 2_999_999]) {
    expect(
      check((bytes) => {
        bytes[at] = 2
        return bytes
      }).is,
    ).toBe('changed')
  }
  expect(check((bytes) => Buffer.concat([bytes.subarray(1), Buffer.from(' ')])).is).toBe('unproven')
  expect(check((bytes) => bytes.subarray(0, 3_000_000)).is).toBe('unproven')
  expect(check((bytes) => Buffer.concat([bytes.subarray(0, 9), bytes.subarray(10)])).is).toBe('changed')

  const elsewhere = folder()
  expect(check((bytes) => bytes, elsewhere)).toMatchObject({
    is: 'no_key',
    key: expect.stringMatching(/^[0-9a-f]{8}$/),
  })
  copyFileSync(keyFileOf(dir), join(elsewhere, 'secrets.key'))
  expect(check((bytes) => bytes, elsewhere).is).toBe('proven')
  // Another's own keyring in its line, wrapped by no key of ours.
  const hers = folder()
  makeSecrets(hers, {}, { hasSealed: () => false, now })
  expect(check((bytes) => bytes, hers).is).toBe('no_key')

  rotate(dir, {}, { verify: () => {}, now })
  expect(check((bytes) => bytes).is).toBe('proven')
})

test('a backup that nobody vouches for, or that was changed, is restored only on demand', async () => {
  const dir = folder()
  const file = join(folder(), 'backup.db')
  const { journal, close } = openJournal(dir)
  journal.append('call', {})
  await close()
  expect((await jarvisHere(dir, 'backup', file)).code).toBe(0)
  expect((await jarvisHere(dir, 'restore', '--yes', file)).output).toMatch(
    /^Of the backup of .* UTC\. Afterwards these people can sign in:\n {2}operator {2}owner\nPeople, roles/,
  )
  new Sqlite(file).exec("UPDATE people SET role = 'viewer'").close()
  expect(await jarvisHere(dir, 'restore', '--yes', file)).toMatchObject({
    code: 1,
    output: expect.stringContaining('changed or damaged'),
  })
  expect((await jarvisHere(dir, 'restore', '--yes', '--unproven', file)).code).toBe(0)
})
