import Sqlite from 'better-sqlite3'
import { wordsOf } from 'hybrid-index'
import { madePrivate } from '../../../lib/private-file.ts'
import { addVectorFunctions } from './vectors.ts'

/** Version of the stored form; an index of an unknown version is rebuilt. */
export const version = 5
const cacheKib = 4_096
const schema = `
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
    is_from_tools INTEGER NOT NULL,
    -- The text of its vector, where it is another than its own, and its hash; without a hash it has no vector.
    meaning TEXT,
    meaning_hash BLOB,
    -- When it was written, Unix ms; NULL: when its source was last changed.
    at INTEGER
  ) STRICT;
  CREATE INDEX chunks_of_source ON chunks (source_id);
  CREATE INDEX chunks_of_meaning ON chunks (meaning_hash);
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
  PRAGMA user_version = ${version};
`
/** Migrates version 1. Keeps the embeddings of files, which are the most expensive; sessions and the journal are indexed again. */
const fromVersion1 = `
  BEGIN IMMEDIATE;
  ALTER TABLE chunks ADD COLUMN meaning TEXT;
  ALTER TABLE chunks ADD COLUMN meaning_hash BLOB;
  DROP INDEX chunks_of_hash;
  DELETE FROM chunk_words WHERE rowid IN
    (SELECT chunks.id FROM chunks JOIN sources ON sources.id = source_id WHERE kind <> 'file');
  DELETE FROM chunks WHERE source_id IN (SELECT id FROM sources WHERE kind <> 'file');
  DELETE FROM sources WHERE kind <> 'file';
  UPDATE chunks SET meaning_hash = hash;
  CREATE INDEX chunks_of_meaning ON chunks (meaning_hash);
  PRAGMA user_version = 2;
  COMMIT;
`
/** Migrates version 2. Chunks of lessons and of the journal now name their conversations. Unchanged chunks keep their embeddings. */
const fromVersion2 = `
  BEGIN IMMEDIATE;
  UPDATE sources SET checksum = ''
    WHERE kind <> 'session' AND id IN (SELECT source_id FROM chunks WHERE is_from_tools = 1);
  PRAGMA user_version = 3;
  COMMIT;
`

/** Migrates version 3, which stored the arguments of calls unredacted. Sessions are indexed again, and their old words are overwritten on disk. */
const fromVersion3 = `
  BEGIN IMMEDIATE;
  DELETE FROM chunk_words WHERE rowid IN
    (SELECT chunks.id FROM chunks JOIN sources ON sources.id = source_id WHERE kind = 'session' OR kind LIKE 'session@%');
  DELETE FROM chunks WHERE source_id IN (SELECT id FROM sources WHERE kind = 'session' OR kind LIKE 'session@%');
  DELETE FROM sources WHERE kind = 'session' OR kind LIKE 'session@%';
  INSERT INTO chunk_words (chunk_words) VALUES ('optimize');
  PRAGMA user_version = 4;
  COMMIT;
`

/** Migrates version 4, which knew the age of a whole text only, and took `update` and `updated` for two words. */
const fromVersion4 = `
  BEGIN IMMEDIATE;
  ALTER TABLE chunks ADD COLUMN at INTEGER;
  UPDATE chunks SET at = (SELECT changed_at FROM sources WHERE sources.id = source_id);
  INSERT INTO chunk_words (chunk_words) VALUES ('delete-all');
  INSERT INTO chunk_words (rowid, words) SELECT id, words_of(heading || ' ' || text) FROM chunks;
  PRAGMA user_version = 5;
  COMMIT;
`
/** The migrations, in order; the first one is from version 1. */
const migrations = [fromVersion1, fromVersion2, fromVersion3, fromVersion4]

/** True if an error means that the file is damaged, or is not the file that was opened. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|READONLY_DBMOVED)/.test(error.code)

/** Opens an index, and makes or migrates its tables. @throws Error if the index is damaged or of an unknown version */
export function openIndex(path: string): Sqlite.Database {
  if (path !== ':memory:') madePrivate(path)
  const sql = new Sqlite(path)
  try {
    sql.pragma('journal_mode = WAL')
    sql.pragma('synchronous = NORMAL')
    // A small cache: the index in memory serves most searches, and the system caches the file.
    sql.pragma(`cache_size = -${cacheKib}`)
    addVectorFunctions(sql)
    sql.function('words_of', { deterministic: true }, (text) => wordsOf(String(text)).join(' '))
    const found = Number(sql.pragma('user_version', { simple: true }))
    // Overwrites deleted rows on disk.
    sql.pragma('secure_delete = ON')
    if (found === 0) sql.exec(schema)
    else if (found >= 1 && found < version) sql.exec(migrations.slice(found - 1).join(''))
    else if (found !== version) throw new Error(`The index has version ${found}.`)
    // Overwrite the old content, parts of which stay in pages that SQLite has split.
    if (found !== 0 && found !== version) sql.exec('VACUUM')
    if (found !== 0 && sql.pragma('quick_check(1)', { simple: true }) !== 'ok') throw new Error('The index is damaged.')
    return sql
  } catch (error) {
    sql.close()
    throw error
  }
}
