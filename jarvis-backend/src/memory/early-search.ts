import { changesOf, type Keeper } from './changes.ts'
import type { Found } from './indexer.ts'
import { createMemoryIndex, type MemoryIndex, wordsAsked } from './memory-index.ts'
import type { MemoryRequests } from './messages.ts'
import { ofAgent } from './owner.ts'
import type { MemoryStore, SourceKind } from './ports.ts'
import { smallTalk } from './small-talk.ts'

/** Searches the index on disk by words while the index's thread has not started. A search of 100,000 chunks blocks the caller for about 25 ms. */
export class EarlySearch {
  readonly #open: () => MemoryStore | undefined
  readonly #now: () => number
  /** `store` is undefined if the index cannot be read. */
  #opened: { store: MemoryStore | undefined; search: MemoryIndex['search'] } | undefined

  /** @param open opens the index read-only; undefined if it cannot be read */
  constructor(open: () => MemoryStore | undefined, now: () => number) {
    this.#open = open
    this.#now = now
  }

  /** @returns undefined if no index can be read. @throws Error if the index is damaged */
  search({ query, limit, kinds, isRecall }: MemoryRequests['search']['input']): Found | undefined {
    const { store, search } = this.#reader()
    if (store === undefined) return undefined
    const judge = isRecall === true ? { ignored: smallTalk } : undefined
    const hits = search(query, { limit, kinds, judge, now: this.#now() }).map(ofAgent)
    return { hits, byKeywordsAlone: true, ...wordsAsked(query) }
  }

  kinds(): readonly SourceKind[] {
    return this.#reader().store?.kinds() ?? []
  }

  /** True if a keeper's texts are not those in the index. Reads no text. */
  isBehind(keepers: readonly Keeper[]): boolean {
    const { store } = this.#reader()
    return store === undefined
      ? keepers.some(({ list }) => [...list()].length > 0)
      : changesOf(store, keepers).length > 0
  }

  /** Closes the index. The next search opens it again, because the thread may have replaced it. */
  close(): void {
    this.#opened?.store?.close()
    this.#opened = undefined
  }

  #reader() {
    if (this.#opened === undefined) {
      const store = this.#open()
      const index = store === undefined ? undefined : createMemoryIndex(store)
      this.#opened = { store, search: (query, options) => index?.search(query, options) ?? [] }
    }
    return this.#opened
  }
}
