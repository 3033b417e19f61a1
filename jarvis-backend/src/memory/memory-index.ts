import {
  type Added,
  type Hit,
  ignoredWords,
  othersFor,
  queryWords,
  SearchIndex,
  type SearchOptions,
  type Weights,
} from 'hybrid-index'
import type { MemoryFound } from 'protocol'
import type { IndexedView, MemoryStore, SourceKind } from './ports.ts'
import { synonymsOf } from './synonyms.ts'

/** The search index over the memory's store. */
export interface MemoryIndex {
  /** False until `load` has read all chunks. Searches are slower until then. */
  readonly isLoaded: boolean
  /** Returns true if reading all chunks again would improve searches, because many have changed. */
  isStale(): boolean
  /** Reads all chunks again. @param onProgress called with the share that was read, 0..1 */
  load(onProgress?: (share: number) => void): Promise<void>
  /** Adds new chunks, or vectors for chunks that had none. */
  add(added: readonly Added[]): void
  remove(ids: readonly number[]): void
  search(query: string, options: SearchOptions<SourceKind>): Hit<IndexedView>[]
}

/** Makes the index with homelab synonyms. Text that a person wrote scores slightly higher. */
export const createMemoryIndex = (store: MemoryStore, weights?: Weights): MemoryIndex =>
  new SearchIndex(store, { synonymsOf, worthOf, weights })

const worthOf = ({ kind, name }: IndexedView) =>
  /(?:^|\/)MEMORY\.md$/.test(name) && kind.startsWith('file') ? 1.02 : kind.startsWith('file') ? 1.01 : 1

/** The synonyms that a search adds to a query's words, and the words that it ignores. */
export const wordsAsked = (query: string): Pick<MemoryFound, 'others' | 'ignored'> => ({
  others: othersFor(queryWords(query), synonymsOf),
  ignored: ignoredWords(query),
})
