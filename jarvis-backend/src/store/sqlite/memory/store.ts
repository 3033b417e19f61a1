import Sqlite from 'better-sqlite3'
import { type Added, wordsOf } from 'hybrid-index'
import type { ChunkView, MemoryStore, NewChunk, Source, SourceKind } from '../../../memory/ports.ts'
import { SqliteStore } from '../sqlite-store.ts'
import { openIndex, version } from './index-file.ts'
import { addVectorFunctions, toBytes, toVector } from './vectors.ts'

type Place = {
  firstLine: number
  lastLine: number
  hash: Buffer
  isFromTools: number | boolean
  at?: number | null | undefined
}
const placeKey = ({ firstLine, lastLine, hash, isFromTools }: Place) =>
  `${firstLine} ${lastLine} ${Number(isFromTools)} ${hash.toString('base64')}`

type ViewRow = Omit<ChunkView, 'isFromTools'> & { isFromTools: number }
type PlaceRow = { id: number; kind: SourceKind; embeddingId: number | null }

const toView = ({ isFromTools, ...row }: ViewRow): ChunkView => ({ ...row, isFromTools: isFromTools === 1 })
const toPlace = <T extends PlaceRow>(row: T) => ({ ...row, embeddingId: row.embeddingId ?? undefined })
const countBy = (sql: Sqlite.Database, query: string) => sql.prepare<[], number>(query).pluck()

const embedded = `FROM chunks JOIN sources ON sources.id = chunks.source_id
  LEFT JOIN embeddings ON embeddings.model_id = ? AND embeddings.hash = chunks.meaning_hash`
const view = `SELECT chunks.id, kind, name, title, first_line AS firstLine, last_line AS lastLine, heading, text,
    COALESCE(chunks.at, changed_at) AS changedAt, is_from_tools AS isFromTools
  FROM chunks JOIN sources ON sources.id = chunks.source_id`
// Chunks of conversations that no model has embedded yet. A text that an earlier model has embedded does not wait: a new model embeds it without
// waiting.
const isWaiting = `(kind = 'session' OR kind LIKE 'session@%') AND meaning_hash IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM models CROSS JOIN embeddings ON model_id = models.id WHERE embeddings.hash = meaning_hash)`
const fromWaiting = `FROM sources CROSS JOIN chunks ON source_id = sources.id WHERE ${isWaiting}`

/**
 * Opens the index at `path` (or `:memory:`). A damaged index or one of an unknown version is discarded and created empty, because all of
 * it can be derived again.
 */
export function openMemoryStore(path: string, discard: (path: string) => void): MemoryStore {
  try {
    return new SqliteMemoryStore(openIndex(path))
  } catch {
    discard(path)
    return new SqliteMemoryStore(openIndex(path))
  }
}

/** Opens the index read-only; undefined if there is no index of this version. */
export function openMemoryReader(path: string): MemoryStore | undefined {
  let sql: Sqlite.Database | undefined
  try {
    sql = new Sqlite(path, { readonly: true, fileMustExist: true })
    addVectorFunctions(sql)
    if (sql.pragma('user_version', { simple: true }) === version) return new SqliteMemoryStore(sql)
  } catch {
    // The thread that owns the index rebuilds it if it cannot be read.
  }
  sql?.close()
  return undefined
}

class SqliteMemoryStore extends SqliteStore implements MemoryStore {
  readonly #selectChecksums = this.sql
    .prepare<[SourceKind], [string, string]>('SELECT name, checksum FROM sources WHERE kind = ?')
    .raw()
  readonly #selectKinds = this.sql.prepare<[], SourceKind>('SELECT DISTINCT kind FROM sources').pluck()
  readonly #selectAny = this.sql.prepare<[SourceKind]>('SELECT 1 FROM sources WHERE kind = ? LIMIT 1')
  readonly #selectProblems = this.sql.prepare<[], { name: string; problem: string }>(
    'SELECT name, problem FROM sources WHERE problem IS NOT NULL ORDER BY id',
  )
  readonly #selectSource = this.sql.prepare<[string], { id: number }>('SELECT id FROM sources WHERE name = ?')
  // Two statements instead of an upsert. An upsert opens a savepoint, and at each savepoint FTS5 writes out the words collected so far.
  readonly #insertSource = this.sql.prepare(
    'INSERT INTO sources (kind, title, checksum, changed_at, problem, name) VALUES (?, ?, ?, ?, ?, ?)',
  )
  readonly #updateSource = this.sql.prepare(
    'UPDATE sources SET kind = ?, title = ?, checksum = ?, changed_at = ?, problem = ? WHERE id = ?',
  )
  readonly #deleteSource = this.sql.prepare('DELETE FROM sources WHERE id = ?')
  readonly #selectChunkIds = this.sql.prepare<[number], number>('SELECT id FROM chunks WHERE source_id = ?').pluck()
  readonly #selectPlaces = this.sql.prepare<[number], Place & { chunkId: number }>(
    `SELECT id AS chunkId, first_line AS firstLine, last_line AS lastLine, hash, is_from_tools AS isFromTools, at
     FROM chunks WHERE source_id = ?`,
  )
  readonly #deleteChunk = this.sql.prepare('DELETE FROM chunks WHERE id = ?')
  readonly #deleteWords = this.sql.prepare('DELETE FROM chunk_words WHERE rowid = ?')
  readonly #insertChunk = this.sql.prepare(
    `INSERT INTO chunks (source_id, first_line, last_line, heading, text, hash, is_from_tools, meaning, meaning_hash, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  readonly #insertWords = this.sql.prepare('INSERT INTO chunk_words (rowid, words) VALUES (?, ?)')
  readonly #selectChunks = this.sql.prepare<[number, number, number], PlaceRow & { text: string; heading: string }>(
    `SELECT chunks.id, kind, embeddings.id AS embeddingId, chunks.text, heading ${embedded}
     WHERE chunks.id > ? ORDER BY chunks.id LIMIT ?`,
  )
  readonly #selectChunkPlaces = this.sql.prepare<[number, string], PlaceRow>(
    `SELECT chunks.id, kind, embeddings.id AS embeddingId ${embedded}
     WHERE chunks.id IN (SELECT value FROM json_each(?)) ORDER BY chunks.id`,
  )
  readonly #selectViews = this.sql.prepare<[string], ViewRow>(
    `${view} WHERE chunks.id IN (SELECT value FROM json_each(?))`,
  )
  readonly #selectViewsOf = this.sql.prepare<[string], ViewRow>(`${view} WHERE name = ? ORDER BY chunks.id`)
  readonly #selectServing = this.sql.prepare<[], { modelId: number; id: string; dimensions: number }>(
    'SELECT id AS modelId, name AS id, dimensions FROM models WHERE is_serving = 1',
  )
  readonly #putModel = this.sql.prepare<[string, number], { id: number }>(
    `INSERT INTO models (name, dimensions, is_serving) VALUES (?, ?, 0)
     ON CONFLICT (name, dimensions) DO UPDATE SET name = excluded.name RETURNING id`,
  )
  readonly #selectWaiting = this.sql.prepare<[number], { hash: Buffer; text: string }>(
    `SELECT meaning_hash AS hash, COALESCE(meaning, text) AS text ${fromWaiting}
     GROUP BY meaning_hash ORDER BY MAX(changed_at) DESC, MAX(chunks.id) DESC LIMIT ?`,
  )
  readonly #selectBare = this.sql.prepare<[number, number, number], { chunkId: number; hash: Buffer; text: string }>(
    `SELECT MAX(chunks.id) AS chunkId, hash, text FROM (
       SELECT chunks.id, meaning_hash AS hash, COALESCE(meaning, text) AS text
       FROM chunks CROSS JOIN sources ON sources.id = source_id
       WHERE chunks.id > ? AND meaning_hash IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM embeddings WHERE model_id = ? AND embeddings.hash = meaning_hash)
         AND NOT (${isWaiting})
       ORDER BY chunks.id LIMIT ?
     ) AS chunks GROUP BY hash`,
  )
  readonly #insertVector = this.sql.prepare(
    'INSERT OR REPLACE INTO embeddings (model_id, hash, vector) VALUES (?, ?, ?)',
  )
  readonly #selectOfHash = this.sql.prepare<[Buffer], { id: number }>('SELECT id FROM chunks WHERE meaning_hash = ?')
  readonly #selectVectors = this.sql.prepare<[string], { id: number; vector: Buffer }>(
    'SELECT id, vector FROM embeddings WHERE id IN (SELECT value FROM json_each(?))',
  )
  readonly #selectRescored = this.sql.prepare<[Buffer, string, number], { embeddingId: number; distance: number }>(
    `SELECT id AS embeddingId, vec_distance_cosine(vec_int8(vector), vec_int8(?)) AS distance FROM embeddings
     WHERE id IN (SELECT value FROM json_each(?)) ORDER BY distance LIMIT ?`,
  )
  readonly #selectNearest = this.sql
    .prepare<[Buffer, number, number], number>(
      `SELECT chunks.id FROM (
         SELECT hash, vec_distance_cosine(vec_int8(vector), vec_int8(?)) AS distance FROM embeddings
         WHERE model_id = ? ORDER BY distance LIMIT ?
       ) AS near JOIN chunks ON chunks.meaning_hash = near.hash ORDER BY distance, chunks.id DESC`,
    )
    .pluck()
  readonly #selectMatching = this.sql
    .prepare<[string, number], number>('SELECT rowid FROM chunk_words WHERE words MATCH ? ORDER BY rank LIMIT ?')
    .pluck()
  readonly #countSources = countBy(this.sql, 'SELECT COUNT(*) FROM sources')
  readonly #countChunks = countBy(this.sql, 'SELECT COUNT(*) FROM chunks')
  readonly #countEmbeddable = countBy(this.sql, 'SELECT COUNT(*) FROM chunks WHERE meaning_hash IS NOT NULL')
  readonly #countWaiting = countBy(this.sql, `SELECT COUNT(*) ${fromWaiting}`)
  readonly #countEmbedded = this.sql
    .prepare<[number], number>(
      'SELECT COUNT(*) FROM chunks WHERE meaning_hash IN (SELECT hash FROM embeddings WHERE model_id = ?)',
    )
    .pluck()
  readonly #startServing = this.sql.prepare('UPDATE models SET is_serving = 1 WHERE id = ?')
  readonly #serveAlone = this.sql.prepare('UPDATE models SET is_serving = (id = ?)')
  readonly #deleteOtherVectors = this.sql.prepare(
    'DELETE FROM embeddings WHERE model_id <> ? OR hash NOT IN (SELECT meaning_hash FROM chunks WHERE meaning_hash IS NOT NULL)',
  )
  readonly #deleteOtherModels = this.sql.prepare('DELETE FROM models WHERE id <> ?')
  readonly #countVectors = this.sql
    .prepare<[number], number>('SELECT COUNT(*) FROM embeddings WHERE model_id = ?')
    .pluck()
  readonly #selectSample = this.sql
    .prepare<[number, number, number], Buffer>(
      'SELECT vector FROM embeddings WHERE model_id = ? AND id % ? = 0 LIMIT ?',
    )
    .pluck()
  readonly #transaction = this.sql.transaction((work: () => unknown) => work())
  /** The id and the dimensions of the model whose embeddings are stored. */
  #inUse: { modelId: number; dimensions: number } | undefined

  constructor(sql: Sqlite.Database) {
    super({ sql })
  }

  checksums(kind: SourceKind): Map<string, string> {
    return new Map(this.#selectChecksums.all(kind))
  }

  kinds(): SourceKind[] {
    return this.#selectKinds.all()
  }

  has(kind: SourceKind): boolean {
    return this.#selectAny.get(kind) !== undefined
  }

  problems(): { name: string; problem: string }[] {
    return this.#selectProblems.all()
  }

  together<T>(work: () => T): T {
    // Joins an open transaction instead of opening a savepoint, because at each savepoint FTS5 writes out the words collected so far.
    return this.sql.inTransaction ? work() : (this.#transaction(work) as T)
  }

  replace(source: Source, chunks: Iterable<NewChunk>, problem?: string): { removed: number[]; added: Added[] } {
    return this.together(() => {
      const { kind, name, title, checksum, changedAt } = source
      const said = [kind, title, checksum, changedAt, problem ?? null]
      const known = this.#selectSource.get(name)?.id
      if (known !== undefined) this.#updateSource.run(...said, known)
      const id = known ?? Number(this.#insertSource.run(...said, name).lastInsertRowid)
      // Keep unchanged chunks, so that appending to a long file costs only the appended part.
      const before = this.#selectPlaces.all(id)
      const left = new Map(before.map(({ chunkId, ...place }) => [placeKey(place), chunkId]))
      // A passage that only moved within its text keeps its age.
      const agesOf = new Map(before.map(({ hash, at }) => [hash.toString('base64'), at]))
      const added: Added[] = []
      for (const chunk of chunks) {
        if (left.delete(placeKey(chunk))) continue
        const at = chunk.at ?? agesOf.get(chunk.hash.toString('base64')) ?? changedAt
        added.push(this.#add(id, { ...chunk, at }))
      }
      const removed = [...left.values()]
      for (const chunkId of removed) this.#drop(chunkId)
      return { removed, added }
    })
  }

  distrust(): void {
    this.sql.exec("UPDATE sources SET checksum = ''")
  }

  remove(name: string): number[] {
    return this.together(() => {
      const known = this.#selectSource.get(name)
      if (known === undefined) return []
      const ids = this.#selectChunkIds.all(known.id)
      for (const chunkId of ids) this.#drop(chunkId)
      this.#deleteSource.run(known.id)
      return ids
    })
  }

  chunks(after: number, limit: number): ReturnType<MemoryStore['chunks']> {
    return this.#selectChunks.all(this.#servingId(), after, limit).map(toPlace)
  }

  places(ids: readonly number[]): ReturnType<MemoryStore['places']> {
    return this.#selectChunkPlaces.all(this.#servingId(), JSON.stringify(ids)).map(toPlace)
  }

  views(ids: readonly number[]): ChunkView[] {
    return this.#selectViews.all(JSON.stringify(ids)).map(toView)
  }

  chunksOf(name: string): ChunkView[] {
    return this.#selectViewsOf.all(name).map(toView)
  }

  counts(): ReturnType<MemoryStore['counts']> {
    const waiting = this.countWaiting()
    return {
      sources: this.#countSources.get() ?? 0,
      chunks: this.#countChunks.get() ?? 0,
      embeddable: (this.#countEmbeddable.get() ?? 0) - waiting,
      embedded: (this.#inUse && this.#countEmbedded.get(this.#inUse.modelId)) ?? 0,
      waiting,
    }
  }

  useModel(id: string, dimensions: number): void {
    const { id: modelId } = this.#putModel.get(id, dimensions) as { id: number }
    this.#inUse = { modelId, dimensions }
    if (this.servingModel() === undefined) this.#startServing.run(modelId)
  }

  servingModel(): { modelId: number; id: string; dimensions: number } | undefined {
    return this.#selectServing.get()
  }

  withoutVector(after: number, limit: number): { chunkId: number; hash: Buffer; text: string }[] {
    return this.#inUse === undefined ? [] : this.#selectBare.all(after, this.#inUse.modelId, limit)
  }

  waiting(limit: number): { hash: Buffer; text: string }[] {
    return this.#selectWaiting.all(limit)
  }

  countWaiting(): number {
    return this.#countWaiting.get() ?? 0
  }

  addVectors(vectors: readonly { hash: Buffer; vector: Float32Array }[]): ReturnType<MemoryStore['addVectors']> {
    const { modelId } = this.#inUse ?? { modelId: 0 }
    return this.#inTransaction(() =>
      vectors.flatMap(({ hash, vector }) => {
        this.#insertVector.run(modelId, hash, toBytes(vector))
        return this.#selectOfHash.all(hash)
      }),
    )
  }

  settleModel(): boolean {
    return this.#inTransaction(() => {
      if (this.#inUse === undefined) return false
      const { modelId } = this.#inUse
      const isNew = this.servingModel()?.modelId !== modelId
      this.#serveAlone.run(modelId)
      this.#deleteOtherVectors.run(modelId)
      this.#deleteOtherModels.run(modelId)
      return isNew
    })
  }

  sampleVectors(limit: number): Float32Array[] {
    const modelId = this.#servingId()
    const step = Math.max(1, Math.floor((this.#countVectors.get(modelId) ?? 0) / limit))
    return this.#selectSample.all(modelId, step, limit).map(toVector)
  }

  vectors(ids: readonly number[]): Map<number, Float32Array> {
    return new Map(this.#selectVectors.all(JSON.stringify(ids)).map(({ id, vector }) => [id, toVector(vector)]))
  }

  rescore(query: Float32Array, ids: readonly number[], limit: number): ReturnType<MemoryStore['rescore']> {
    return this.#selectRescored.all(toBytes(query), JSON.stringify(ids), limit)
  }

  nearest(query: Float32Array, limit: number): number[] {
    const model = this.servingModel()
    return model === undefined ? [] : this.#selectNearest.all(toBytes(query), model.modelId, limit)
  }

  matching(words: readonly string[], limit: number): number[] {
    if (words.length === 0) return []
    return this.#selectMatching.all(words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR '), limit)
  }

  close(): void {
    this.sql.close()
  }

  #servingId(): number {
    return this.servingModel()?.modelId ?? 0
  }

  #inTransaction<T>(work: () => T): T {
    return this.#transaction(work) as T
  }

  #add(sourceId: number, chunk: NewChunk): Added {
    const { firstLine, lastLine, heading, text, hash, isFromTools, meaning } = chunk
    const meant = [meaning === undefined || meaning.text === text ? null : meaning.text, meaning?.hash ?? null]
    const place = [firstLine, lastLine, heading, text, hash, isFromTools ? 1 : 0]
    const { lastInsertRowid } = this.#insertChunk.run(sourceId, ...place, ...meant, chunk.at ?? null)
    const words = wordsOf(`${heading} ${text}`)
    this.#insertWords.run(lastInsertRowid, words.join(' '))
    return { id: Number(lastInsertRowid), words }
  }

  #drop(chunkId: number): void {
    this.#deleteChunk.run(chunkId)
    this.#deleteWords.run(chunkId)
  }
}
