import Sqlite from 'better-sqlite3'
import { type Added, wordsOf } from 'hybrid-index'
import { madePrivate } from '../../../lib/private-file.ts'
import type { ChunkView, MemoryStore, SourceKind } from '../../../memory/ports.ts'
import { addVectorFunctions } from './vectors.ts'

/** Version of the stored form; an index of an unknown version is rebuilt. */
const version = 4
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
    meaning_hash BLOB
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
/** Migrates version 1. Embeddings of files, the most expensive, are kept; sessions and the journal are indexed again. */
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
/** Migrates version 2: chunks of lessons and of the journal now name their conversations. Unchanged chunks keep their embeddings. */
const fromVersion2 = `
  BEGIN IMMEDIATE;
  UPDATE sources SET checksum = ''
    WHERE kind <> 'session' AND id IN (SELECT source_id FROM chunks WHERE is_from_tools = 1);
  PRAGMA user_version = 3;
  COMMIT;
`

/** Migrates version 3, which held the arguments of calls unredacted: sessions are indexed again, and their words are overwritten. */
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

type Place = { firstLine: number; lastLine: number; hash: Buffer; isFromTools: number | boolean }
const placeKey = ({ firstLine, lastLine, hash, isFromTools }: Place) =>
  `${firstLine} ${lastLine} ${Number(isFromTools)} ${hash.toString('base64')}`

type ViewRow = Omit<ChunkView, 'isFromTools'> & { isFromTools: number }

/**
 * Opens the index at `path` (or `:memory:`). A damaged index or one of an unknown version is discarded and created empty, because all of
 * it can be derived again.
 */
export function openMemoryStore(path: string, discard: (path: string) => void): MemoryStore {
  try {
    return memoryStore(open(path))
  } catch {
    discard(path)
    return memoryStore(open(path))
  }
}

/** Opens the index read-only; undefined where there is none of this version. */
export function openMemoryReader(path: string): MemoryStore | undefined {
  let sql: Sqlite.Database | undefined
  try {
    sql = new Sqlite(path, { readonly: true, fileMustExist: true })
    addVectorFunctions(sql)
    if (sql.pragma('user_version', { simple: true }) === version) return memoryStore(sql)
  } catch {
    // The thread that owns the index rebuilds one that cannot be read.
  }
  sql?.close()
  return undefined
}

function memoryStore(sql: Sqlite.Database): MemoryStore {
  const selectChecksums = sql
    .prepare<[SourceKind], [string, string]>('SELECT name, checksum FROM sources WHERE kind = ?')
    .raw()
  const selectKinds = sql.prepare<[], SourceKind>('SELECT DISTINCT kind FROM sources').pluck()
  const selectAny = sql.prepare<[SourceKind]>('SELECT 1 FROM sources WHERE kind = ? LIMIT 1')
  const selectProblems = sql.prepare<[], { name: string; problem: string }>(
    'SELECT name, problem FROM sources WHERE problem IS NOT NULL ORDER BY id',
  )
  const selectSource = sql.prepare<[string], { id: number }>('SELECT id FROM sources WHERE name = ?')
  // Two statements instead of an upsert, which opens a savepoint, at which FTS5 writes out the words collected so far.
  const insertSource = sql.prepare(
    'INSERT INTO sources (kind, title, checksum, changed_at, problem, name) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const updateSource = sql.prepare(
    'UPDATE sources SET kind = ?, title = ?, checksum = ?, changed_at = ?, problem = ? WHERE id = ?',
  )
  const deleteSource = sql.prepare('DELETE FROM sources WHERE id = ?')
  const selectChunkIds = sql.prepare<[number], number>('SELECT id FROM chunks WHERE source_id = ?').pluck()
  const selectPlaces = sql.prepare<[number], Place & { chunkId: number }>(
    `SELECT id AS chunkId, first_line AS firstLine, last_line AS lastLine, hash, is_from_tools AS isFromTools
     FROM chunks WHERE source_id = ?`,
  )
  const deleteChunk = sql.prepare('DELETE FROM chunks WHERE id = ?')
  const deleteWords = sql.prepare('DELETE FROM chunk_words WHERE rowid = ?')
  const insertChunk = sql.prepare(
    `INSERT INTO chunks (source_id, first_line, last_line, heading, text, hash, is_from_tools, meaning, meaning_hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertWords = sql.prepare('INSERT INTO chunk_words (rowid, words) VALUES (?, ?)')
  type PlaceRow = { id: number; kind: SourceKind; embeddingId: number | null }
  const embedded = `FROM chunks JOIN sources ON sources.id = chunks.source_id
    LEFT JOIN embeddings ON embeddings.model_id = ? AND embeddings.hash = chunks.meaning_hash`
  const selectChunks = sql.prepare<[number, number, number], PlaceRow & { text: string; heading: string }>(
    `SELECT chunks.id, kind, embeddings.id AS embeddingId, chunks.text, heading ${embedded}
     WHERE chunks.id > ? ORDER BY chunks.id LIMIT ?`,
  )
  const selectChunkPlaces = sql.prepare<[number, string], PlaceRow>(
    `SELECT chunks.id, kind, embeddings.id AS embeddingId ${embedded}
     WHERE chunks.id IN (SELECT value FROM json_each(?)) ORDER BY chunks.id`,
  )
  const view = `SELECT chunks.id, kind, name, title, first_line AS firstLine, last_line AS lastLine, heading, text,
      changed_at AS changedAt, is_from_tools AS isFromTools
    FROM chunks JOIN sources ON sources.id = chunks.source_id`
  const selectViews = sql.prepare<[string], ViewRow>(`${view} WHERE chunks.id IN (SELECT value FROM json_each(?))`)
  const selectViewsOf = sql.prepare<[string], ViewRow>(`${view} WHERE name = ? ORDER BY chunks.id`)
  const selectServing = sql.prepare<[], { modelId: number; id: string; dimensions: number }>(
    'SELECT id AS modelId, name AS id, dimensions FROM models WHERE is_serving = 1',
  )
  const putModel = sql.prepare<[string, number], { id: number }>(
    `INSERT INTO models (name, dimensions, is_serving) VALUES (?, ?, 0)
     ON CONFLICT (name, dimensions) DO UPDATE SET name = excluded.name RETURNING id`,
  )
  // A new model reads what the previous one had read.
  const isWaiting = `(kind = 'session' OR kind LIKE 'session@%') AND meaning_hash IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM models CROSS JOIN embeddings ON model_id = models.id WHERE embeddings.hash = meaning_hash)`
  const fromWaiting = `FROM sources CROSS JOIN chunks ON source_id = sources.id WHERE ${isWaiting}`
  const selectWaiting = sql.prepare<[number], { hash: Buffer; text: string }>(
    `SELECT meaning_hash AS hash, COALESCE(meaning, text) AS text ${fromWaiting}
     GROUP BY meaning_hash ORDER BY MAX(changed_at) DESC, MAX(chunks.id) DESC LIMIT ?`,
  )
  const selectBare = sql.prepare<[number, number, number], { chunkId: number; hash: Buffer; text: string }>(
    `SELECT MAX(chunks.id) AS chunkId, hash, text FROM (
       SELECT chunks.id, meaning_hash AS hash, COALESCE(meaning, text) AS text
       FROM chunks CROSS JOIN sources ON sources.id = source_id
       WHERE chunks.id > ? AND meaning_hash IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM embeddings WHERE model_id = ? AND embeddings.hash = meaning_hash)
         AND NOT (${isWaiting})
       ORDER BY chunks.id LIMIT ?
     ) AS chunks GROUP BY hash`,
  )
  const insertVector = sql.prepare('INSERT OR REPLACE INTO embeddings (model_id, hash, vector) VALUES (?, ?, ?)')
  const selectOfHash = sql.prepare<[Buffer], { id: number }>('SELECT id FROM chunks WHERE meaning_hash = ?')
  const selectVectors = sql.prepare<[string], { id: number; vector: Buffer }>(
    'SELECT id, vector FROM embeddings WHERE id IN (SELECT value FROM json_each(?))',
  )
  const selectRescored = sql.prepare<[Buffer, string, number], { embeddingId: number; distance: number }>(
    `SELECT id AS embeddingId, vec_distance_cosine(vec_int8(vector), vec_int8(?)) AS distance FROM embeddings
     WHERE id IN (SELECT value FROM json_each(?)) ORDER BY distance LIMIT ?`,
  )
  const selectNearest = sql
    .prepare<[Buffer, number, number], number>(
      `SELECT chunks.id FROM (
         SELECT hash, vec_distance_cosine(vec_int8(vector), vec_int8(?)) AS distance FROM embeddings
         WHERE model_id = ? ORDER BY distance LIMIT ?
       ) AS near JOIN chunks ON chunks.meaning_hash = near.hash ORDER BY distance, chunks.id DESC`,
    )
    .pluck()
  const selectMatching = sql
    .prepare<[string, number], number>('SELECT rowid FROM chunk_words WHERE words MATCH ? ORDER BY rank LIMIT ?')
    .pluck()
  const count = (query: string) => sql.prepare<[], number>(query).pluck()
  const countSources = count('SELECT COUNT(*) FROM sources')
  const countChunks = count('SELECT COUNT(*) FROM chunks')
  const countEmbeddable = count('SELECT COUNT(*) FROM chunks WHERE meaning_hash IS NOT NULL')
  const countWaiting = count(`SELECT COUNT(*) ${fromWaiting}`)
  const countEmbedded = sql
    .prepare<[number], number>(
      'SELECT COUNT(*) FROM chunks WHERE meaning_hash IN (SELECT hash FROM embeddings WHERE model_id = ?)',
    )
    .pluck()

  let inUse: { modelId: number; dimensions: number } | undefined

  const transaction = sql.transaction((work: () => unknown) => work())
  // Joins an open transaction, because at each savepoint FTS5 would write out the words collected so far.
  const together = <T>(work: () => T): T => (sql.inTransaction ? work() : (transaction(work) as T))
  const drop = (chunkId: number) => {
    deleteChunk.run(chunkId)
    deleteWords.run(chunkId)
  }
  const toView = ({ isFromTools, ...row }: ViewRow): ChunkView => ({ ...row, isFromTools: isFromTools === 1 })
  const toPlace = <T extends PlaceRow>(row: T) => ({ ...row, embeddingId: row.embeddingId ?? undefined })
  const serving = () => selectServing.get()

  return {
    checksums: (kind) => new Map(selectChecksums.all(kind)),
    kinds: () => selectKinds.all(),
    has: (kind) => selectAny.get(kind) !== undefined,
    problems: () => selectProblems.all(),
    together,
    replace: (source, chunks, problem) =>
      together(() => {
        const { kind, name, title, checksum, changedAt } = source
        const said = [kind, title, checksum, changedAt, problem ?? null]
        const known = selectSource.get(name)?.id
        if (known !== undefined) updateSource.run(...said, known)
        const id = known ?? Number(insertSource.run(...said, name).lastInsertRowid)
        // Unchanged chunks stay, so appending to a long file costs only the appended part.
        const left = new Map(selectPlaces.all(id).map(({ chunkId, ...place }) => [placeKey(place), chunkId]))
        const added: Added[] = []
        for (const chunk of chunks) {
          const { firstLine, lastLine, heading, text, hash, isFromTools, meaning } = chunk
          if (left.delete(placeKey(chunk))) continue
          const meant = [meaning === undefined || meaning.text === text ? null : meaning.text, meaning?.hash ?? null]
          const place = [firstLine, lastLine, heading, text, hash, isFromTools ? 1 : 0]
          const { lastInsertRowid } = insertChunk.run(id, ...place, ...meant)
          const words = wordsOf(`${heading} ${text}`)
          insertWords.run(lastInsertRowid, words.join(' '))
          added.push({ id: Number(lastInsertRowid), words })
        }
        const removed = [...left.values()]
        for (const chunkId of removed) drop(chunkId)
        return { removed, added }
      }),
    distrust: () => sql.exec("UPDATE sources SET checksum = ''"),
    remove: (name) =>
      together(() => {
        const known = selectSource.get(name)
        if (known === undefined) return []
        const ids = selectChunkIds.all(known.id)
        for (const chunkId of ids) drop(chunkId)
        deleteSource.run(known.id)
        return ids
      }),
    chunks: (after, limit) => selectChunks.all(serving()?.modelId ?? 0, after, limit).map(toPlace),
    places: (ids) => selectChunkPlaces.all(serving()?.modelId ?? 0, JSON.stringify(ids)).map(toPlace),
    views: (ids) => selectViews.all(JSON.stringify(ids)).map(toView),
    chunksOf: (name) => selectViewsOf.all(name).map(toView),
    counts() {
      const waiting = countWaiting.get() ?? 0
      return {
        sources: countSources.get() ?? 0,
        chunks: countChunks.get() ?? 0,
        embeddable: (countEmbeddable.get() ?? 0) - waiting,
        embedded: (inUse && countEmbedded.get(inUse.modelId)) ?? 0,
        waiting,
      }
    },
    useModel(id, dimensions) {
      const { id: modelId } = putModel.get(id, dimensions) as { id: number }
      inUse = { modelId, dimensions }
      if (serving() === undefined) sql.prepare('UPDATE models SET is_serving = 1 WHERE id = ?').run(modelId)
    },
    servingModel: serving,
    withoutVector: (after, limit) => (inUse === undefined ? [] : selectBare.all(after, inUse.modelId, limit)),
    waiting: (limit) => selectWaiting.all(limit),
    countWaiting: () => countWaiting.get() ?? 0,
    addVectors(vectors) {
      const { modelId } = inUse ?? { modelId: 0 }
      return sql.transaction(() =>
        vectors.flatMap(({ hash, vector }) => {
          insertVector.run(modelId, hash, toBytes(vector))
          return selectOfHash.all(hash)
        }),
      )()
    },
    settleModel: () =>
      sql.transaction(() => {
        if (inUse === undefined) return false
        const isNew = serving()?.modelId !== inUse.modelId
        sql.prepare('UPDATE models SET is_serving = (id = ?)').run(inUse.modelId)
        sql
          .prepare(
            'DELETE FROM embeddings WHERE model_id <> ? OR hash NOT IN (SELECT meaning_hash FROM chunks WHERE meaning_hash IS NOT NULL)',
          )
          .run(inUse.modelId)
        sql.prepare('DELETE FROM models WHERE id <> ?').run(inUse.modelId)
        return isNew
      })(),
    sampleVectors(limit) {
      const modelId = serving()?.modelId ?? 0
      const all =
        sql.prepare<[number], number>('SELECT COUNT(*) FROM embeddings WHERE model_id = ?').pluck().get(modelId) ?? 0
      const step = Math.max(1, Math.floor(all / limit))
      return sql
        .prepare<[number, number, number], Buffer>(
          'SELECT vector FROM embeddings WHERE model_id = ? AND id % ? = 0 LIMIT ?',
        )
        .pluck()
        .all(modelId, step, limit)
        .map(toVector)
    },
    vectors: (ids) => new Map(selectVectors.all(JSON.stringify(ids)).map(({ id, vector }) => [id, toVector(vector)])),
    rescore: (query, ids, limit) => selectRescored.all(toBytes(query), JSON.stringify(ids), limit),
    nearest: (query, limit) => {
      const model = serving()
      return model === undefined ? [] : selectNearest.all(toBytes(query), model.modelId, limit)
    },
    matching(words, limit) {
      if (words.length === 0) return []
      return selectMatching.all(words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR '), limit)
    },
    close: () => sql.close(),
  }
}

/** True if an error means that the file is damaged, or is not the file that was opened. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError && /^SQLITE_(CORRUPT|NOTADB|IOERR_SHORT_READ|READONLY_DBMOVED)/.test(error.code)

function open(path: string): Sqlite.Database {
  if (path !== ':memory:') madePrivate(path)
  const sql = new Sqlite(path)
  try {
    sql.pragma('journal_mode = WAL')
    sql.pragma('synchronous = NORMAL')
    // A small cache: the index in memory serves most searches, and the system caches the file.
    sql.pragma(`cache_size = -${cacheKib}`)
    addVectorFunctions(sql)
    const found = Number(sql.pragma('user_version', { simple: true }))
    // Overwrites deleted rows on disk.
    sql.pragma('secure_delete = ON')
    if (found === 0) sql.exec(schema)
    else if (found === 1) sql.exec(fromVersion1 + fromVersion2 + fromVersion3)
    else if (found === 2) sql.exec(fromVersion2 + fromVersion3)
    else if (found === 3) sql.exec(fromVersion3)
    else if (found !== version) throw new Error(`The index has version ${found}.`)
    // Pages that SQLite has split keep parts of what they held.
    if (found !== 0 && found !== version) sql.exec('VACUUM')
    if (found !== 0 && sql.pragma('quick_check(1)', { simple: true }) !== 'ok') throw new Error('The index is damaged.')
    return sql
  } catch (error) {
    sql.close()
    throw error
  }
}

/** One signed byte per dimension. The scale is lost, which cosine similarity ignores. */
function toBytes(vector: Float32Array): Buffer {
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  const bytes = new Int8Array(vector.length)
  if (largest > 0)
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = Math.round(((vector[at] as number) / largest) * 127)
  return Buffer.from(bytes.buffer)
}

function toVector(bytes: Buffer): Float32Array {
  const signed = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  let square = 0
  for (const value of signed) square += value * value
  const scale = square === 0 ? 0 : 1 / Math.sqrt(square)
  const vector = new Float32Array(signed.length)
  for (let at = 0; at < vector.length; at += 1) vector[at] = (signed[at] as number) * scale
  return vector
}
