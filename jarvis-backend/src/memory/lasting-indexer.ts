import type { MemoryStatus } from 'protocol'
import type { Indexer } from './indexer.ts'

/** The place of the index on disk. */
export type IndexPlace = {
  /** Changes when the index file was deleted or replaced. */
  identity(): string | undefined
  remove(): void
  /** Returns true if the error means that the index is damaged. */
  isDamage(error: unknown): boolean
}

/** An indexer that rebuilds its index in the background from the sources when the index is deleted or damaged. */
export function createLastingIndexer(parts: {
  place: IndexPlace
  /** @param report receives background failures; `remade` is called where the existing index could not be read */
  open(remade: (why: string) => void, report: (error: unknown, message: string) => void): Indexer
  now(): number
  report(error: unknown, message: string): void
}) {
  const { place } = parts
  let remade: MemoryStatus['remade']
  let replacing: Promise<void> | undefined

  const note = (why: string) => {
    remade = { at: parts.now(), why }
    parts.report(new Error(why), 'the memory is made again from its sources')
  }
  function open(): Indexer {
    return parts.open(note, (error, message) => {
      if (place.isDamage(error)) replaceLater('Its index was damaged.')
      else parts.report(error, message)
    })
  }
  let indexer = open()
  let identity = place.identity()

  /** Opens a new index. Requests wait until it is open, not until it is filled; the next one retries. */
  function replace(why: string): Promise<void> {
    replacing ??= (async () => {
      try {
        await indexer.stop().catch((error: unknown) => parts.report(error, 'the index could not be closed'))
        place.remove()
        note(why)
        indexer = open()
        identity = place.identity()
      } finally {
        replacing = undefined
      }
      void indexer.start()
    })()
    return replacing
  }
  const replaceLater = (why: string) =>
    void replace(why).catch((error: unknown) => parts.report(error, 'the index could not be made again'))

  return {
    start: () => indexer.start(),
    /** Runs `work` on the index, after rebuilding it where it was deleted or turns out damaged. */
    async use<T>(work: (indexer: Indexer) => T): Promise<Awaited<T>> {
      if (replacing === undefined && place.identity() !== identity) await replace('Its index was deleted.')
      else await replacing
      try {
        return await work(indexer)
      } catch (error) {
        if (!place.isDamage(error)) throw error
        await replace('Its index was damaged.')
        return await work(indexer)
      }
    },
    /** Undefined while the index is being replaced. */
    status(): { status: MemoryStatus; hasNotes: boolean } | undefined {
      if (replacing !== undefined) return undefined
      try {
        return { status: { ...indexer.status(), ...(remade && { remade }) }, hasNotes: indexer.hasNotes() }
      } catch (error) {
        if (!place.isDamage(error)) throw error
        replaceLater('Its index was damaged.')
        return undefined
      }
    },
    async stop() {
      await replacing
      await indexer.stop()
    },
  }
}
