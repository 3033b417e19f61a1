import type { Weights } from 'hybrid-index'
import type { ProxySettings } from '../lib/proxies.ts'
import type { Found, How, IndexStatus } from './indexer.ts'
import type { ChunkView, SourceKind } from './ports.ts'

/** The way to embed texts. `none`: keywords only. `folder`: the folder of the local model, if it is not in the place where it was installed. */
export type EmbedderConfig =
  | { kind: 'none' }
  | { kind: 'local'; folder?: string }
  | { kind: 'openai'; baseUrl: string; apiKey?: string; model: string }

/** The data with which the worker is started. */
export type MemoryWorkerData = {
  workspaceDir: string
  databasePath: string
  indexPath: string
  embedder: EmbedderConfig
  weights: Weights
  /** Absent: a served model is reached directly. */
  proxies?: ProxySettings | undefined
}

/** Embeddings of texts, in order. `id`: the model's id. */
export type Embedded = { id: string; vectors: Float32Array[] }

/** The worker's requests and their answers. */
export type MemoryRequests = {
  search: { input: { query: string; limit: number } & How; output: Found }
  embed: { input: { texts: readonly string[] }; output: Embedded }
  passages: { input: { name: string }; output: ChunkView[] }
  sync: { input: Record<never, never>; output: undefined }
  reindex: { input: Record<never, never>; output: undefined }
  status: { input: Record<never, never>; output: IndexStatus }
  stop: { input: Record<never, never>; output: undefined }
}
export type MemoryMethod = keyof MemoryRequests

export type ToWorker = { id: number; method: MemoryMethod; input: unknown }
export type FromWorker =
  | { id: number; output: unknown }
  | { id: number; error: string }
  /** `kinds`: the kinds of the texts in the index. */
  | { changed: IndexStatus; kinds: readonly SourceKind[] }
  /** Tokens of a request for embeddings that a server charges for. `isPartial`: they are estimated. */
  | { embedded: number; isPartial: boolean }
  | { fault: string; message: string }
