/** A chunk as a search returns it. A store may add fields: `View extends ChunkView`. */
export type ChunkView = {
  /** Above 0, and higher for a newer chunk. An id is never reused. */
  id: number
  /** The chunk's kind. A search can be limited to kinds. At most 256 different kinds. */
  kind: string
  /** Name of the text that contains the chunk. */
  name: string
  /** First line, from 1, and last line, both included. */
  firstLine: number
  lastLine: number
  /** The headings above the chunk. They are searched like the text; may be empty. */
  heading: string
  text: string
  /** Last change, Unix ms. */
  changedAt: number
}
/**
 * A chunk's id, kind and vector. `embeddingId`: id of its vector of the serving model; undefined: no vector. Chunks with the same text may share
 * one.
 */
export type ChunkPlace<Kind extends string = string> = { id: number; kind: Kind; embeddingId: number | undefined }
export type StoredChunk<Kind extends string = string> = ChunkPlace<Kind> & { text: string; heading: string }
/** A change for the index. With `words` (`wordsOf` of heading and text): a new chunk. Without `words`: a chunk that now has a vector. */
export type Added = { id: number; words?: readonly string[] }

/** Access of the search index to the stored chunks and vectors. */
export interface IndexStore<View extends ChunkView = ChunkView> {
  counts(): { chunks: number }
  /** Returns chunks with the ids of their vectors, ordered by id, starting after the id `after`. */
  chunks(after: number, limit: number): StoredChunk<View['kind']>[]
  /** Returns the places of those chunks that exist, ordered by id. */
  places(ids: readonly number[]): ChunkPlace<View['kind']>[]
  /** Returns those chunks that exist, in any order. */
  views(ids: readonly number[]): View[]
  /** The model whose vectors are used for searches now; undefined: none, so only words are searched. */
  servingModel(): { dimensions: number } | undefined
  /** Returns up to `limit` vectors of the serving model, spread over all of its vectors. */
  sampleVectors(limit: number): Float32Array[]
  vectors(embeddingIds: readonly number[]): Map<number, Float32Array>
  /** Exact cosine distances (0..2) to the query, nearest first. */
  rescore(
    query: Float32Array,
    embeddingIds: readonly number[],
    limit: number,
  ): { embeddingId: number; distance: number }[]
  /** Searches by vector without the index in memory. @returns chunk ids, nearest first */
  nearest(query: Float32Array, limit: number): number[]
  /** Searches by words (BM25) without the index in memory. @returns chunk ids, best first */
  matching(words: readonly string[], limit: number): number[]
}
