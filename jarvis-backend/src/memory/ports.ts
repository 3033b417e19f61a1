import type { Added, IndexStore, Piece } from 'hybrid-index'
import type { MemoryPassage, MemorySourceKind } from 'protocol'

/** The kind of a source. Files and sessions of an agent other than main have the agent's id: `file@media`. */
export type SourceKind = MemorySourceKind | `file@${string}` | `session@${string}`
/** A passage with its kind in the index, which may name an agent. */
export type IndexedView = Omit<MemoryPassage, 'kind'> & { kind: SourceKind }
export type Source = {
  kind: SourceKind
  /** Unique: a file's path under `workspace/`, a session's id, `journal/2026-11-22`. */
  name: string
  /** Display name: a session's title, or a file's path. */
  title: string
  /** SHA-256 of the text, in hex: equal means unchanged. */
  checksum: string
  /** Unix ms. */
  changedAt: number
}
/**
 * `hash`: SHA-256 of heading and text. `isFromTools`: written by others (a tool's output), so it stays untrusted wherever it is recalled.
 * `meaning`: the text to embed and its hash; undefined: found by words only.
 */
export type NewChunk = Piece & {
  hash: Buffer
  isFromTools: boolean
  meaning: { text: string; hash: Buffer } | undefined
  /** When it was written, Unix ms; undefined: since when the text has it. */
  at?: number | undefined
}

/** Computes embeddings with one model. `id` is `provider/model`; embeddings of different ids cannot be compared. */
export interface Embedder {
  readonly id: string
  readonly dimensions: number
  /** One embedding per text, in order. @throws JarvisError if the model does not answer */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
}

export type { MemoryPassage as ChunkView }

/** The derived index on disk, which may be deleted and rebuilt. `IndexStore` has what a search reads. */
export interface MemoryStore extends IndexStore<IndexedView> {
  /** The checksums of all sources of a kind, keyed by the sources' names. */
  checksums(kind: SourceKind): Map<string, string>
  has(kind: SourceKind): boolean
  /** The kinds that have at least one source. */
  kinds(): SourceKind[]
  /** Sources that are not indexed, or only in part. */
  problems(): { name: string; problem: string }[]
  /** Runs `work` in one transaction, which `replace` and `remove` join. If one of them throws, `work` must throw too. */
  together<T>(work: () => T): T
  /** Replaces all chunks of a source in one transaction. @returns the removed ids and the new chunks */
  replace(source: Source, chunks: Iterable<NewChunk>, problem?: string): { removed: number[]; added: Added[] }
  /** Marks every source as changed, so that it is chunked again. Searches use the present chunks until then. */
  distrust(): void
  /** Removes a source. @returns the ids of its chunks */
  remove(name: string): number[]
  chunksOf(name: string): IndexedView[]
  /**
   * Numbers of sources and chunks. `embeddable`: chunks that get an embedding from the model in use. `waiting`: chunks of conversations, which are
   * embedded when somebody searches.
   */
  counts(): { sources: number; chunks: number; embeddable: number; embedded: number; waiting: number }

  /** Sets the model whose embeddings are stored from now on. Embeddings of other models are dropped once all chunks have one of this model. */
  useModel(id: string, dimensions: number): void
  /** The model whose embeddings serve searches: the previous one until the one in use is complete. */
  servingModel(): { id: string; dimensions: number } | undefined
  /** Texts without an embedding of the model in use, each once, with chunk ids above `after`. Waiting conversations are left out. */
  withoutVector(after: number, limit: number): { chunkId: number; hash: Buffer; text: string }[]
  /** Texts of waiting conversations without an embedding, each once, newest conversations first. */
  waiting(limit: number): { hash: Buffer; text: string }[]
  countWaiting(): number
  /** Stores embeddings of texts. @returns the chunks that have an embedding now */
  addVectors(vectors: readonly { hash: Buffer; vector: Float32Array }[]): Added[]
  /** Drops embeddings of other models and of removed texts. @returns true if searches now use the embeddings of another model than before */
  settleModel(): boolean
  close(): void
}
