import type { MemoryStatus } from 'protocol'
import type { Indexer } from './indexer.ts'
import type { SourceKind } from './ports.ts'

/** The place of the index on disk. */
export type IndexPlace = {
  /** Changes when the index file was deleted or replaced. */
  identity(): string | undefined
  remove(): void
  /** Returns true if the error means that the index is damaged. */
  isDamage(error: unknown): boolean
}

export type LastingIndexerParts = {
  place: IndexPlace
  /** @param remade called if the existing index could not be read and was replaced @param report receives background failures */
  open(remade: (why: string) => void, report: (error: unknown, message: string) => void): Indexer
  now(): number
  report(error: unknown, message: string): void
}

/** An indexer that rebuilds its index in the background from the sources when the index is deleted or damaged. */
export class LastingIndexer {
  readonly #parts: LastingIndexerParts
  #indexer: Indexer
  #identity: string | undefined
  #remade: MemoryStatus['remade']
  #replacing: Promise<void> | undefined

  constructor(parts: LastingIndexerParts) {
    this.#parts = parts
    this.#indexer = this.#open()
    this.#identity = parts.place.identity()
  }

  start(): Promise<void> {
    return this.#indexer.start()
  }

  async stop(): Promise<void> {
    await this.#replacing
    await this.#indexer.stop()
  }

  /** Runs `work` on the index, after rebuilding the index if it was deleted or turns out to be damaged. */
  async use<T>(work: (indexer: Indexer) => T): Promise<Awaited<T>> {
    const { place } = this.#parts
    if (this.#replacing === undefined && place.identity() !== this.#identity)
      await this.#replace('Its index was deleted.')
    else await this.#replacing
    try {
      return await work(this.#indexer)
    } catch (error) {
      if (!place.isDamage(error)) throw error
      await this.#replace('Its index was damaged.')
      return await work(this.#indexer)
    }
  }

  /** Undefined while the index is being replaced. */
  status(): { status: MemoryStatus; kinds: readonly SourceKind[] } | undefined {
    if (this.#replacing !== undefined) return undefined
    try {
      const status = { ...this.#indexer.status(), ...(this.#remade && { remade: this.#remade }) }
      return { status, kinds: this.#indexer.kinds() }
    } catch (error) {
      if (!this.#parts.place.isDamage(error)) throw error
      this.#replaceLater('Its index was damaged.')
      return undefined
    }
  }

  #open(): Indexer {
    const { place, open, report } = this.#parts
    return open(
      (why) => this.#note(why),
      (error, message) => {
        if (place.isDamage(error)) this.#replaceLater('Its index was damaged.')
        else report(error, message)
      },
    )
  }

  #note(why: string): void {
    const { now, report } = this.#parts
    this.#remade = { at: now(), why }
    report(new Error(why), 'the memory is made again from its sources')
  }

  /** Opens a new index. Requests wait until it is open, not until it is filled. A request after a failure tries again. */
  #replace(why: string): Promise<void> {
    this.#replacing ??= this.#reopen(why)
    return this.#replacing
  }

  async #reopen(why: string): Promise<void> {
    const { place, report } = this.#parts
    try {
      await this.#indexer.stop().catch((error: unknown) => report(error, 'the index could not be closed'))
      place.remove()
      this.#note(why)
      this.#indexer = this.#open()
      this.#identity = place.identity()
    } finally {
      this.#replacing = undefined
    }
    void this.#indexer.start()
  }

  #replaceLater(why: string): void {
    this.#replace(why).catch((error: unknown) => this.#parts.report(error, 'the index could not be made again'))
  }
}
