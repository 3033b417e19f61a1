/** A chunk as a search returns it. A store may know more of it: `View extends ChunkView`. */
export type ChunkView = {
  /** Above 0, and higher for a newer chunk. An id is never given out twice. */
  id: number
  /** A kind that a search can be restricted to; at most 256 different ones. */
  kind: string
  /** The text that the chunk is a part of. */
  name: string
  /** From 1, both inclusive. */
  firstLine: number
  lastLine: number
  /** Searched like the text; may be empty. */
  heading: string
  text: string
  /** Unix ms. */
  changedAt: number
}
/** `embeddingId`: its vector's, of the serving model. Chunks with the same text may share one. */
export type ChunkPlace<Kind extends string = string> = { id: number; kind: Kind; embeddingId: number | undefined }
export type StoredChunk<Kind extends string = string> = ChunkPlace<Kind> & { text: string; heading: string }
/** A new chunk with its words (`wordsOf` of heading and text); or, without words, a chunk that has a vector now. */
export type Added = { id: number; words?: readonly string[] }

/** Access of the search index to the chunks and vectors that are kept. */
export interface IndexStore<View extends ChunkView = ChunkView> {
  counts(): { chunks: number }
  /** Each chunk with its vector's id, by id, from `after` on. */
  chunks(after: number, limit: number): StoredChunk<View['kind']>[]
  /** The places of the chunks that exist, by id. */
  places(ids: readonly number[]): ChunkPlace<View['kind']>[]
  /** The chunks that exist, in any order. */
  views(ids: readonly number[]): View[]
  /** The model whose vectors serve the search now; undefined: none, words alone are searched. */
  servingModel(): { dimensions: number } | undefined
  /** Up to `limit` vectors spread over all of the serving model. */
  sampleVectors(limit: number): Float32Array[]
  vectors(embeddingIds: readonly number[]): Map<number, Float32Array>
  /** Exact cosine distances (0..2) to the query, nearest first. */
  rescore(
    query: Float32Array,
    embeddingIds: readonly number[],
    limit: number,
  ): { embeddingId: number; distance: number }[]
  /** Without what is held in memory: chunk ids, nearest first. */
  nearest(query: Float32Array, limit: number): number[]
  /** Without what is held in memory: chunk ids by BM25, best first. */
  matching(words: readonly string[], limit: number): number[]
}
