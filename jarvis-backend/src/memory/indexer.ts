import type { Weights } from 'hybrid-index'
import type { MemoryFound, MemoryStatus } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import { changesOf, type Failure, type Keeper, makeSome, sayFailed } from './changes.ts'
import { createMemoryIndex, wordsAsked } from './memory-index.ts'
import { createModel } from './model.ts'
import { ofAgent } from './owner.ts'
import type { ChunkView, Embedder, MemoryStore, SourceKind } from './ports.ts'
import { createWaitingTexts } from './waiting-texts.ts'

export type { Keeper, Listed, TextPart } from './changes.ts'
export type { MemoryFound as Found, MemoryStatus as IndexStatus }

/** Pause after the embedder failed, ms; doubled with each failure, up to ten minutes. */
const retryAfterMs = 30_000
const longestRetryMs = 600_000
/** A search waits at most this long for waiting conversations, ms. */
const soonWaitMs = 250

/**
 * Keeps the index up to date with the keepers' texts. Changed texts are found by checksum, chunked, and embedded in the background in
 * small batches, so a search waits for one batch at most. Conversations are indexed by words at once and embedded when somebody searches.
 * The index is usable after a stop at any point: texts are replaced in transactions, and missing embeddings are found again.
 */
export function createIndexer(parts: {
  store: MemoryStore
  /** @param known the kinds that there is something of, and which may have no keeper any more */
  keepers: readonly Keeper[] | ((known: readonly SourceKind[]) => readonly Keeper[])
  /** Undefined: no embeddings. */
  openEmbedder: (() => Promise<Embedder>) | undefined
  /** How many texts are embedded at a time; few where the model runs in this process. */
  batch: number
  weights: Weights
  /** What does not work as it should besides the model; undefined: nothing. */
  trouble?: string | undefined
  clock: Clock
  changed(): void
  report(error: unknown, message: string): void
}) {
  const { store, keepers, clock } = parts
  const index = createMemoryIndex(store, parts.weights)
  const waiting = createWaitingTexts(store, clock)
  const stopping = new AbortController()
  const model = createModel({
    store,
    clock,
    open: parts.openEmbedder,
    stopping: stopping.signal,
    opened() {
      isIncomplete = true
    },
  })
  let state: MemoryStatus['state'] = 'loading'
  let share: number | undefined
  let work: Promise<void> = Promise.resolve()
  let isSyncDue = false
  let failures = 0
  /** Whether a text may lack an embedding. */
  let isIncomplete = true

  /** Queues a synchronisation; one that is already queued is shared. */
  function sync(): Promise<void> {
    if (!isSyncDue) {
      isSyncDue = true
      enqueue(async () => {
        isSyncDue = false
        await takeChanges()
      })
    }
    return work
  }

  /** Queues `first` and then the embedding of texts that need it. */
  function enqueue(first: () => Promise<void>) {
    work = work.then(async () => {
      if (stopping.signal.aborted) return
      try {
        await first()
        await embedMissing()
        if (index.isStale()) await index.load(loading)
      } catch (error) {
        if (!stopping.signal.aborted) parts.report(error, 'the memory could not be brought up to date')
      } finally {
        state = 'ready'
        share = undefined
        parts.changed()
      }
    })
  }

  const loading = (loaded: number) => {
    share = loaded
    parts.changed()
  }

  async function start(): Promise<void> {
    // Not awaited, so that a slow server delays neither keyword search nor indexing.
    model.opened().catch(() => {})
    work = work.then(() => index.load(loading))
    await sync()
  }

  async function takeChanges() {
    const due = changesOf(store, typeof keepers === 'function' ? keepers(store.kinds()) : keepers)
    const failed: Failure[] = []
    for (let at = 0; at < due.length; ) {
      state = 'indexing'
      share = at / due.length
      isIncomplete = true
      waiting.changed()
      const made = makeSome(store, due, at, clock.now)
      index.remove(made.removed)
      index.add(made.added)
      failed.push(...made.failed)
      at = made.next
      parts.changed()
      await new Promise(setImmediate)
      if (stopping.signal.aborted) return
    }
    share = undefined
    sayFailed(failed, parts.report)
  }

  async function embedMissing() {
    if (isIncomplete) {
      let after = 0
      const next = () => {
        const missing = store.withoutVector(after, parts.batch)
        after = Math.max(after, ...missing.map(({ chunkId }) => chunkId))
        return missing
      }
      if (!(await embed(next))) return
      isIncomplete = false
      if (store.settleModel()) await index.load(loading)
    }
    const next = waiting.batches(parts.batch)
    if (next !== undefined && (await embed(next))) waiting.satisfied()
  }

  /** Embeds what `next` returns until nothing is left. @returns whether it finished */
  async function embed(next: () => { hash: Buffer; text: string }[]): Promise<boolean> {
    try {
      const opened = await model.opened()
      if (opened === undefined) return false
      for (;;) {
        const missing = next()
        if (missing.length === 0) break
        state = 'indexing'
        // Headings are not embedded: they make all texts of a section similar, and the keywords cover them.
        const texts = missing.map(({ text }) => text)
        const vectors = await model.vectorsOf(opened, texts)
        index.add(
          store.addVectors(missing.map(({ hash }, at) => ({ hash, vector: vectors[at] ?? new Float32Array(0) }))),
        )
        waiting.changed()
        parts.changed()
        await new Promise(setImmediate)
        // New texts are indexed by words first; the next round continues here.
        if (stopping.signal.aborted || isSyncDue) return false
      }
      model.succeeded()
      failures = 0
      return true
    } catch (error) {
      if (stopping.signal.aborted) return false
      model.failed(error)
      clock.after(Math.min(longestRetryMs, retryAfterMs * 2 ** failures), () => void sync())
      failures += 1
      return false
    }
  }

  /** Queues the embedding of waiting conversations. @returns whether there are so few that the search may wait */
  function readWaiting(): boolean {
    const { isNew, isSoon } = waiting.want()
    if (isNew) enqueue(async () => {})
    return isSoon
  }

  async function readSoon() {
    let cancel = () => {}
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(soonWaitMs, resolve)
    })
    await Promise.race([work, late])
    cancel()
  }

  async function search(query: string, limit: number, kinds?: readonly SourceKind[]): Promise<MemoryFound> {
    let vector: Float32Array | undefined
    try {
      vector = await model.vectorOf(query)
    } catch (error) {
      if (model.failed(error)) parts.changed()
    }
    const hasConversations = model.id() !== undefined && kinds?.some((kind) => kind.startsWith('session')) !== false
    const isByMeaning = hasConversations && vector !== undefined
    // Also without the query's embedding, so that the next search finds the conversations embedded.
    const isSoon = hasConversations && readWaiting()
    if (isSoon && isByMeaning) await readSoon()
    const hits = index.search(query, { limit, vector, kinds, now: clock.now() }).map(ofAgent)
    const left = isByMeaning ? waiting.count() : 0
    return {
      hits,
      byKeywordsAlone: vector === undefined,
      ...(left > 0 && { waiting: left }),
      ...wordsAsked(query),
    }
  }

  return {
    start,
    sync,
    search,
    hasNotes: () => store.kinds().some((kind) => kind.startsWith('file')),
    passages: (name: string): ChunkView[] => store.chunksOf(name).map(ofAgent),
    /** Reads and chunks all texts again; embeddings of unchanged texts are kept. */
    async reindex() {
      store.distrust()
      await sync()
    },
    status(): MemoryStatus {
      return {
        state: index.isLoaded ? state : 'loading',
        ...(share !== undefined && { share }),
        ...store.counts(),
        model: model.id(),
        problem: model.problem() ?? parts.trouble,
        problems: store.problems(),
      }
    },
    async stop() {
      stopping.abort()
      await work
      store.close()
    },
  }
}

export type Indexer = ReturnType<typeof createIndexer>
