import { createSearchIndex, ignoredWords, othersFor, queryWords, type Weights } from 'hybrid-index'
import type { MemoryFound } from 'protocol'
import type { IndexedView, MemoryStore } from './ports.ts'
import { synonymsOf } from './synonyms.ts'

/** The search index over the memory's store with homelab synonyms. Text that a person wrote scores slightly higher. */
export const createMemoryIndex = (store: MemoryStore, weights?: Weights) =>
  createSearchIndex(store, { synonymsOf, worthOf, weights })

const worthOf = ({ kind, name }: IndexedView) =>
  /(?:^|\/)MEMORY\.md$/.test(name) && kind.startsWith('file') ? 1.02 : kind.startsWith('file') ? 1.01 : 1

/** The synonyms that a search adds to a query's words, and the words that it ignores. */
export const wordsAsked = (query: string): Pick<MemoryFound, 'others' | 'ignored'> => ({
  others: othersFor(queryWords(query), synonymsOf),
  ignored: ignoredWords(query),
})
