import type { Found } from './indexer.ts'
import { createMemoryIndex, wordsAsked } from './memory-index.ts'
import type { MemoryRequests } from './messages.ts'
import type { MemoryStore } from './ports.ts'

/**
 * Searches by words what the index has on disk, for as long as its thread has not started. A search of 100,000 chunks takes
 * about 25 ms of the caller's thread.
 * @param open the index as it is on disk, for reading alone; undefined where there is none that can be read
 */
export function createEarlySearch(open: () => MemoryStore | undefined, now: () => number) {
  let opened: { store: MemoryStore | undefined; search: ReturnType<typeof createMemoryIndex>['search'] } | undefined

  function reader() {
    if (opened === undefined) {
      const store = open()
      opened = { store, search: store === undefined ? () => [] : createMemoryIndex(store).search }
    }
    return opened
  }

  return {
    /** @returns undefined where nothing can be read. @throws Error where what is there turns out to be damaged. */
    search({ query, limit, kinds }: MemoryRequests['search']['input']): Found | undefined {
      const { store, search } = reader()
      if (store === undefined) return undefined
      const hits = search(query, { limit, kinds, now: now() })
      return { hits, byKeywordsAlone: true, ...wordsAsked(query) }
    },
    hasNotes: () => reader().store?.has('file') === true,
    /** Opens it anew when it is asked again: the thread may have made another. */
    close() {
      opened?.store?.close()
      opened = undefined
    },
  }
}

export type EarlySearch = ReturnType<typeof createEarlySearch>
