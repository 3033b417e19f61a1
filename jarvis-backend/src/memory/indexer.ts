import type { Evidence, Weights } from 'hybrid-index'
import type { MemoryFound, MemoryHit, MemoryStatus } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import { changesOf, type Failure, type Keeper, makeSome, sayFailed } from './changes.ts'
import { createMemoryIndex, type MemoryIndex, wordsAsked } from './memory-index.ts'
import { MemoryModel } from './model.ts'
import { ofAgent } from './owner.ts'
import type { ChunkView, Embedder, MemoryStore, SourceKind } from './ports.ts'
import { smallTalk } from './small-talk.ts'
import { WaitingTexts } from './waiting-texts.ts'

export type { Keeper, Listed, TextPart } from './changes.ts'
export type { MemoryStatus as IndexStatus }
/** The hits of a search. `evidence`: of a recall alone. `isBehind`: notes have changed that are not indexed yet. */
export type Found = Omit<MemoryFound, 'hits'> & { hits: (MemoryHit & { evidence?: Evidence })[]; isBehind?: boolean }
/** `kinds`: search only these sources; absent: all. `isRecall`: the search is for an answer. It judges its hits, and has no conversations embedded. */
export type How = { kinds?: readonly SourceKind[] | undefined; isRecall?: boolean | undefined }

/** Pause after the embedder failed, ms; doubled with each failure, up to ten minutes. */
const retryAfterMs = 30_000
const longestRetryMs = 600_000
/** A search waits at most this long for conversations to be embedded, ms. */
const soonWaitMs = 250

export type IndexerParts = {
  store: MemoryStore
  /**
   * The keepers, or a function that returns them.
   * @param known the kinds of the texts in the index; a kind may have no keeper any more
   */
  keepers: readonly Keeper[] | ((known: readonly SourceKind[]) => readonly Keeper[])
  /** Undefined: no embeddings. */
  openEmbedder: (() => Promise<Embedder>) | undefined
  /** How many texts are embedded at a time; few if the model runs in this process. */
  batch: number
  weights: Weights
  /** A problem other than the model's, in words; undefined: none. */
  trouble?: string | undefined
  clock: Clock
  changed(): void
  report(error: unknown, message: string): void
}

/**
 * Keeps the index up to date with the keepers' texts. It finds changed texts by checksum, chunks them, and embeds them in the background in
 * small batches, so a search waits for one batch at most. Conversations are indexed by words at once, and embedded when somebody searches.
 * The index is usable after a stop at any point: texts are replaced in transactions, and missing embeddings are found again.
 */
export class Indexer {
  readonly #parts: IndexerParts
  readonly #store: MemoryStore
  readonly #index: MemoryIndex
  readonly #waiting: WaitingTexts
  readonly #model: MemoryModel
  readonly #stopping = new AbortController()
  #state: MemoryStatus['state'] = 'loading'
  #share: number | undefined
  /** Resolves when all queued work is done. */
  #work: Promise<void> = Promise.resolve()
  #isSyncDue = false
  /** Resolves when the changes of the newest synchronisation are indexed by words. */
  #taken: Promise<void> = Promise.resolve()
  /** True if the keepers' last changes are indexed by words. */
  #isTaken = false
  #failures = 0
  /** True if a text may lack an embedding. */
  #isIncomplete = true

  constructor(parts: IndexerParts) {
    const { store, clock } = parts
    this.#parts = parts
    this.#store = store
    this.#index = createMemoryIndex(store, parts.weights)
    this.#waiting = new WaitingTexts(store, clock)
    this.#model = new MemoryModel({
      store,
      clock,
      open: parts.openEmbedder,
      stopping: this.#stopping.signal,
      opened: () => {
        this.#isIncomplete = true
      },
    })
  }

  /** Loads the index and applies the keepers' changes. */
  async start(): Promise<void> {
    // Not awaited, so that a slow server delays neither keyword search nor indexing.
    this.#model.opened().catch(() => {})
    this.#work = this.#work.then(() => this.#load())
    await this.sync()
  }

  /** Applies the keepers' changes. Calls share one synchronisation while it is queued. */
  sync(): Promise<void> {
    if (!this.#isSyncDue) {
      this.#isSyncDue = true
      this.#taken = new Promise((resolve) => {
        this.#enqueue(async () => {
          this.#isSyncDue = false
          await this.#takeChanges().finally(resolve)
        })
      })
    }
    return this.#work
  }

  async search(query: string, limit: number, { kinds, isRecall = false }: How = {}): Promise<Found> {
    if (isRecall && this.isBehind) await this.#soon(this.#taken)
    let vector: Float32Array | undefined
    try {
      // Only notes are recalled by meaning, so that an answer without notes costs no embedding.
      if (!isRecall || this.kinds().some((kind) => kind.startsWith('file'))) vector = await this.#model.vectorOf(query)
    } catch (error) {
      if (this.#model.failed(error)) this.#parts.changed()
    }
    const mayHold = !isRecall && kinds?.some((kind) => kind.startsWith('session')) !== false
    const hasConversations = this.#model.id() !== undefined && mayHold
    const isByMeaning = hasConversations && vector !== undefined
    // Conversations are embedded even if this query has no embedding, so that the next search finds their embeddings.
    const isSoon = hasConversations && this.#readWaiting()
    if (isSoon && isByMeaning) await this.#soon(this.#work)
    const judge = isRecall ? { ignored: smallTalk } : undefined
    const hits = this.#index.search(query, { limit, vector, kinds, judge, now: this.#parts.clock.now() }).map(ofAgent)
    const left = isByMeaning ? this.#waiting.count() : 0
    return {
      hits,
      byKeywordsAlone: vector === undefined,
      ...(left > 0 && { waiting: left }),
      ...(isRecall && this.isBehind && { isBehind: true }),
      ...wordsAsked(query),
    }
  }

  /** True while notes may have changed that are not indexed yet. */
  get isBehind(): boolean {
    return this.#isSyncDue || !this.#isTaken
  }

  /** The kinds of the texts in the index. */
  kinds(): SourceKind[] {
    return this.#store.kinds()
  }

  /** The chunks of one text. */
  passages(name: string): ChunkView[] {
    return this.#store.chunksOf(name).map(ofAgent)
  }

  /** Reads and chunks all texts again; embeddings of unchanged texts are kept. */
  async reindex(): Promise<void> {
    this.#store.distrust()
    await this.sync()
  }

  status(): MemoryStatus {
    return {
      state: this.#index.isLoaded ? this.#state : 'loading',
      share: this.#share,
      ...this.#store.counts(),
      model: this.#model.id(),
      problem: this.#model.problem() ?? this.#parts.trouble,
      problems: this.#store.problems(),
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#work
    this.#store.close()
  }

  /** Queues `first`, and then the embedding of texts that need it. */
  #enqueue(first: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      if (this.#stopping.signal.aborted) return
      try {
        await first()
        await this.#embedMissing()
        if (this.#index.isStale()) await this.#load()
      } catch (error) {
        if (!this.#stopping.signal.aborted) this.#parts.report(error, 'the memory could not be brought up to date')
      } finally {
        this.#state = 'ready'
        this.#share = undefined
        this.#parts.changed()
      }
    })
  }

  #load() {
    return this.#index.load((loaded) => {
      this.#share = loaded
      this.#parts.changed()
    })
  }

  async #takeChanges(): Promise<void> {
    const { keepers, clock, report } = this.#parts
    this.#isTaken = false
    const due = changesOf(this.#store, typeof keepers === 'function' ? keepers(this.#store.kinds()) : keepers)
    const failed: Failure[] = []
    for (let at = 0; at < due.length; ) {
      this.#state = 'indexing'
      this.#share = at / due.length
      this.#isIncomplete = true
      this.#waiting.changed()
      const made = makeSome(this.#store, { due, from: at }, () => clock.now())
      this.#index.remove(made.removed)
      this.#index.add(made.added)
      failed.push(...made.failed)
      at = made.next
      this.#parts.changed()
      await new Promise(setImmediate)
      if (this.#stopping.signal.aborted) return
    }
    this.#share = undefined
    this.#isTaken = true
    sayFailed(failed, report)
  }

  async #embedMissing(): Promise<void> {
    const { batch } = this.#parts
    if (this.#isIncomplete) {
      let after = 0
      const next = () => {
        const missing = this.#store.withoutVector(after, batch)
        after = Math.max(after, ...missing.map(({ chunkId }) => chunkId))
        return missing
      }
      if (!(await this.#embed(next))) return
      this.#isIncomplete = false
      if (this.#store.settleModel()) await this.#load()
    }
    const next = this.#waiting.batches(batch)
    if (next !== undefined && (await this.#embed(next))) this.#waiting.satisfied()
  }

  /** Embeds the texts that `next` returns, until it returns none. @returns false if the work stopped earlier */
  async #embed(next: () => { hash: Buffer; text: string }[]): Promise<boolean> {
    const model = this.#model
    const { signal } = this.#stopping
    try {
      const opened = await model.opened()
      if (opened === undefined) return false
      for (;;) {
        const missing = next()
        if (missing.length === 0) break
        this.#state = 'indexing'
        // Headings are not embedded: they make all texts of a section similar, and the keywords cover them.
        const texts = missing.map(({ text }) => text)
        const vectors = await model.vectorsOf(opened, texts)
        const made = missing.map(({ hash }, at) => ({ hash, vector: vectors[at] ?? new Float32Array(0) }))
        this.#index.add(this.#store.addVectors(made))
        this.#waiting.changed()
        this.#parts.changed()
        await new Promise(setImmediate)
        // New texts are indexed by words first; the next round continues here.
        if (signal.aborted || this.#isSyncDue) return false
      }
      model.succeeded()
      this.#failures = 0
      return true
    } catch (error) {
      if (signal.aborted) return false
      model.failed(error)
      const pauseMs = Math.min(longestRetryMs, retryAfterMs * 2 ** this.#failures)
      this.#parts.clock.after(pauseMs, () => void this.sync())
      this.#failures += 1
      return false
    }
  }

  /** Queues the embedding of waiting conversations. @returns true if there are so few that the search may wait for them */
  #readWaiting(): boolean {
    const { isNew, isSoon } = this.#waiting.want()
    if (isNew) this.#enqueue(async () => {})
    return isSoon
  }

  /** Waits for work, at most a moment. */
  async #soon(work: Promise<void>): Promise<void> {
    let cancel = () => {}
    const late = new Promise<void>((resolve) => {
      cancel = this.#parts.clock.after(soonWaitMs, resolve)
    })
    await Promise.race([work, late])
    cancel()
  }
}
