import type { Added, IndexStore, Piece } from 'hybrid-index'
import type { MemoryPassage, MemorySourceKind } from '../protocol/index.ts'

export type { MemorySourceKind as SourceKind }
export type Source = {
  kind: MemorySourceKind
  /** Unique: a file's path under `workspace/`, a session's id, `journal/2026-11-22`. */
  name: string
  /** What a person calls it: a session's title; the path of a file. */
  title: string
  /** SHA-256 of the text, in hex: equal means unchanged. */
  checksum: string
  /** Unix ms. */
  changedAt: number
}
/**
 * `hash`: SHA-256 of heading and text. `isFromTools`: written by others (a tool's output), so that it stays suspect wherever
 * it is recalled. `meaning`: the text of which its vector is made, and that text's hash; undefined: it is found by its words
 * alone.
 */
export type NewChunk = Piece & {
  hash: Buffer
  isFromTools: boolean
  meaning: { text: string; hash: Buffer } | undefined
}

/** Turns text into vectors of one model. `id` is `provider/model`; another id means that nothing kept can be compared. */
export interface Embedder {
  readonly id: string
  readonly dimensions: number
  /** One vector for each text, in order. @throws JarvisError where the model does not answer. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
}

export type { MemoryPassage as ChunkView }

/** The derived index on disk: it may be deleted and is made again. `IndexStore` has what a search reads of it. */
export interface MemoryStore extends IndexStore<MemoryPassage> {
  /** By name. */
  checksums(kind: MemorySourceKind): Map<string, string>
  has(kind: MemorySourceKind): boolean
  /** Sources that are not indexed, or not whole. */
  problems(): { name: string; problem: string }[]
  /** Runs `work` in one transaction, which `replace` and `remove` join; it must throw where one of them did. */
  together<T>(work: () => T): T
  /** Replaces all chunks of the source in one transaction. @returns the ids of what is gone, and what is new. */
  replace(source: Source, chunks: Iterable<NewChunk>, problem?: string): { removed: number[]; added: Added[] }
  /** Makes every source count as changed, so that it is chunked again; the present chunks serve until then. */
  distrust(): void
  /** @returns the ids of its chunks. */
  remove(name: string): number[]
  chunksOf(name: string): MemoryPassage[]
  /**
   * `embeddable`: chunks that have a vector once the model in use has read them. `waiting`: chunks of conversations that no
   * model has read yet, which are read when somebody searches.
   */
  counts(): { sources: number; chunks: number; embeddable: number; embedded: number; waiting: number }

  /** Makes `model` the one whose vectors are meant from here on; those of others are dropped once all chunks have one. */
  useModel(id: string, dimensions: number): void
  /** The model whose vectors serve the search now: another than the one in use while that one is not complete. */
  servingModel(): { id: string; dimensions: number } | undefined
  /** Texts without a vector of the model in use, each once, by chunk id from `after` on, without waiting ones. */
  withoutVector(after: number, limit: number): { chunkId: number; hash: Buffer; text: string }[]
  /** Texts of conversations that no model has read yet, each once, of the newest conversations first. */
  waiting(limit: number): { hash: Buffer; text: string }[]
  countWaiting(): number
  /** @returns the chunks that have one now. */
  addVectors(vectors: readonly { hash: Buffer; vector: Float32Array }[]): Added[]
  /** Drops the vectors of other models and those of texts that are gone. @returns whether another model serves now. */
  settleModel(): boolean
  close(): void
}
