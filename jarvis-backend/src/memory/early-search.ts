import type { Found } from './indexer.ts'
import { createMemoryIndex, type MemoryIndex, wordsAsked } from './memory-index.ts'
import type { MemoryRequests } from './messages.ts'
import { ofAgent } from './owner.ts'
import type { MemoryStore } from './ports.ts'

/**
 * Searches the index on disk by words until its thread has started. A search of 100,000 chunks blocks the caller for about 25 ms.
 * @param open opens the index read-only; undefined where it cannot be read
 */
export function createEarlySearch(open: () => MemoryStore | undefined, now: () => number) {
  let opened: { store: MemoryStore; index: MemoryIndex } | { store: undefined } | undefined

  function reader() {
    if (opened === undefined) {
      const store = open()
      opened = store === undefined ? { store } : { store, index: createMemoryIndex(store) }
    }
    return opened
  }

  return {
    /** @returns undefined where no index can be read. @throws Error where the index is damaged */
    search({ query, limit, kinds }: MemoryRequests['search']['input']): Found | undefined {
      const found = reader()
      if (found.store === undefined) return undefined
      const hits = found.index.search(query, { limit, kinds, now: now() }).map(ofAgent)
      return { hits, byKeywordsAlone: true, ...wordsAsked(query) }
    },
    hasNotes: () =>
      reader()
        .store?.kinds()
        .some((kind) => kind.startsWith('file')) === true,
    /** Closes the index. The next search opens it again, because the thread may have replaced it. */
    close() {
      opened?.store?.close()
      opened = undefined
    },
  }
}

export type EarlySearch = ReturnType<typeof createEarlySearch>
