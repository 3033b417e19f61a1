import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openMemoryReader, openMemoryStore } from './store.ts'

/** The index as version 1 kept it, with a note and a conversation, both with vectors. */
const version1 = `
  CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    checksum TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    -- Why it is not indexed, or not whole.
    problem TEXT
  ) STRICT;
  CREATE TABLE chunks (
    -- Never given out twice: what is held in memory by id must not come to mean another text.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source_id INTEGER NOT NULL REFERENCES sources (id),
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    heading TEXT NOT NULL,
    text TEXT NOT NULL,
    hash BLOB NOT NULL,
    is_from_tools INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX chunks_of_source ON chunks (source_id);
  CREATE INDEX chunks_of_hash ON chunks (hash);
  CREATE VIRTUAL TABLE chunk_words USING fts5 (words, content = '', contentless_delete = 1, tokenize = "unicode61 tokenchars '._:/@-'");
  CREATE TABLE models (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    is_serving INTEGER NOT NULL,
    UNIQUE (name, dimensions)
  ) STRICT;
  -- By the SHA-256 of the text: what is written again, or moved, is not embedded again.
  CREATE TABLE embeddings (
    id INTEGER PRIMARY KEY,
    model_id INTEGER NOT NULL REFERENCES models (id),
    hash BLOB NOT NULL,
    -- One signed byte for each dimension, scaled to the largest.
    vector BLOB NOT NULL,
    UNIQUE (model_id, hash)
  ) STRICT;
  INSERT INTO sources VALUES (1, 'file', 'MEMORY.md', 'MEMORY.md', 'a', 0, NULL), (2, 'session', 'ses_1', 'Backups', 'b', 0, NULL);
  INSERT INTO chunks VALUES (1, 1, 1, 1, '', 'The UPS lasts eleven minutes.', x'01', 0), (2, 2, 1, 1, '', 'Backups failed.', x'02', 1);
  INSERT INTO chunk_words (rowid, words) VALUES (1, 'ups last eleven minute'), (2, 'backup fail');
  INSERT INTO models VALUES (1, 'test/2d', 2, 1);
  INSERT INTO embeddings VALUES (1, 1, x'01', x'7f00'), (2, 1, x'02', x'007f');
  PRAGMA user_version = 1;
`

test('an index of version 1 keeps its notes with their vectors, and takes conversations in anew', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-index-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'memory.db')
  const before = new Sqlite(path)
  before.exec(version1)
  before.close()
  expect(openMemoryReader(path)).toBeUndefined()

  const store = openMemoryStore(path, () => expect.unreachable('it was thrown away'))
  onTestFinished(() => store.close())
  store.useModel('test/2d', 2)
  expect(store.counts()).toEqual({ sources: 1, chunks: 1, embeddable: 1, embedded: 1, waiting: 0 })
  expect(store.withoutVector(0, 10)).toEqual([])
  expect(store.matching(['ups'], 5)).toEqual([1])
  expect(store.matching(['backup'], 5)).toEqual([])
  expect([...store.checksums('session')]).toEqual([])
  store.settleModel()
  expect(store.nearest(Float32Array.of(0, 1), 5)).toEqual([1])
})

test('another model reads at once what the one before had read, and leaves what is waiting', () => {
  const store = openMemoryStore(':memory:', () => {})
  onTestFinished(() => store.close())
  const hashes = { note: Buffer.from([1]), read: Buffer.from([2]), waiting: Buffer.from([3]) }
  for (const [text, hash] of Object.entries(hashes)) {
    const kind = text === 'note' ? 'file' : 'session'
    store.replace({ kind, name: text, title: text, checksum: '', changedAt: 0 }, [
      { text, heading: '', firstLine: 1, lastLine: 1, hash, isFromTools: false, meaning: { text, hash } },
    ])
  }
  const due = () => store.withoutVector(0, 10).map(({ text }) => text)
  store.useModel('test/2d', 2)
  expect([due(), store.waiting(10).map(({ text }) => text)]).toEqual([['note'], ['waiting', 'read']])
  const vector = Float32Array.of(1, 0)
  store.addVectors([hashes.note, hashes.read].map((hash) => ({ hash, vector })))
  expect([due(), store.countWaiting()]).toEqual([[], 1])
  store.useModel('test/other', 2)
  expect([due(), store.countWaiting()]).toEqual([['note', 'read'], 1])
})

test('an index of version 2 reads lessons, the journal and conversations anew, and keeps files as they were', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-index-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'memory.db')
  const discard = () => expect.unreachable('it was thrown away')
  const before = openMemoryStore(path, discard)
  for (const [kind, name, isFromTools] of [
    ['file', 'MEMORY.md', false],
    ['file', 'memory/2026-01-31.md', true],
    ['session', 'ses_1', true],
    ['journal', 'journal/2026-01-31', true],
  ] as const) {
    const hash = Buffer.from(name)
    before.replace({ kind, name, title: name, checksum: 'a', changedAt: 0 }, [
      { text: name, heading: '', firstLine: 1, lastLine: 1, hash, isFromTools, meaning: undefined },
    ])
  }
  before.close()
  const older = new Sqlite(path)
  older.exec('ALTER TABLE chunks DROP COLUMN at')
  // Words as they were told apart then.
  older.exec("INSERT INTO chunk_words (chunk_words) VALUES ('delete-all')")
  older.exec("INSERT INTO chunk_words (rowid, words) VALUES (1, 'otherwise')")
  older.pragma('user_version = 2')
  older.close()

  const store = openMemoryStore(path, discard)
  const words = new Sqlite(path, { readonly: true })
  const rowsWith = words.prepare<[string], number>('SELECT rowid FROM chunk_words WHERE words MATCH ?').pluck()
  expect([rowsWith.all('otherwise'), rowsWith.all('memory').length]).toEqual([[], 2])
  words.close()
  onTestFinished(() => store.close())
  const checksums = (['file', 'session', 'journal'] as const).flatMap((kind) => [...store.checksums(kind)])
  expect(checksums).toEqual([
    ['MEMORY.md', 'a'],
    ['memory/2026-01-31.md', ''],
    ['journal/2026-01-31', ''],
  ])
  expect(store.counts()).toMatchObject({ sources: 3, chunks: 3 })
})

test('nobody but its owner can read a new index, which holds what was said', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-index-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const store = openMemoryStore(join(dir, 'memory.db'), () => expect.unreachable('it was thrown away'))
  onTestFinished(() => store.close())
  for (const name of readdirSync(dir)) expect([name, statSync(join(dir, name)).mode & 0o077]).toEqual([name, 0])
})

test('a passage keeps its age when its text changes around it, and one that names its time has that', () => {
  const store = openMemoryStore(':memory:', () => {})
  onTestFinished(() => store.close())
  const source = { kind: 'file', name: 'MEMORY.md', title: 'MEMORY.md' } as const
  const chunk = (text: string, firstLine: number, at?: number) => ({
    text,
    heading: '',
    firstLine,
    lastLine: firstLine,
    hash: Buffer.from(text),
    isFromTools: false,
    meaning: undefined,
    at,
  })
  store.replace({ ...source, checksum: '1', changedAt: 100 }, [chunk('the ups', 1)])
  store.replace({ ...source, checksum: '2', changedAt: 900 }, [
    chunk('new', 1),
    chunk('the ups', 2),
    chunk('told', 3, 500),
  ])
  expect(store.chunksOf('MEMORY.md').map(({ text, changedAt }) => [text, changedAt])).toEqual([
    ['new', 900],
    ['the ups', 100],
    ['told', 500],
  ])
})
