import { grown } from './byte-lists.ts'
import type { ChunkPlace } from './index-store.ts'

const mostKinds = 256

/** For each ordinal: the chunk's id, vector and kind, and if the chunk still exists. Ids grow with ordinals, so a chunk is found by binary search. */
export class Places<Kind extends string> {
  #chunkIds = new Uint32Array(1024)
  #embeddingIds = new Uint32Array(1024)
  #isLive = new Uint8Array(1024)
  #kindOf = new Uint8Array(1024)
  readonly #kinds: Kind[] = []
  #size = 0
  #dead = 0

  /** Number of chunks that were added, including those that were removed since. */
  get size(): number {
    return this.#size
  }

  get dead(): number {
    return this.#dead
  }

  get bytes(): number {
    return this.#chunkIds.length * 9
  }

  /** Adds a chunk. @returns the ordinal; undefined if the id is not greater than all others. @throws RangeError for a 257th kind */
  add({ id, kind, embeddingId = 0 }: ChunkPlace<Kind>): number | undefined {
    const ordinal = this.#size
    if (ordinal > 0 && id <= (this.#chunkIds[ordinal - 1] as number)) return undefined
    if (ordinal === this.#chunkIds.length) this.#grow(ordinal * 2)
    this.#size += 1
    this.#chunkIds[ordinal] = id
    this.#embeddingIds[ordinal] = embeddingId
    this.#isLive[ordinal] = 1
    this.#kindOf[ordinal] = this.#numberOf(kind)
    return ordinal
  }

  remove(id: number): void {
    const ordinal = this.ordinalOf(id)
    if (ordinal === undefined) return
    this.#isLive[ordinal] = 0
    this.#dead += 1
  }

  /** @returns undefined for a chunk that does not exist or was removed */
  ordinalOf(id: number): number | undefined {
    const ids = this.#chunkIds
    let low = 0
    let high = this.#size
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((ids[middle] as number) < id) low = middle + 1
      else high = middle
    }
    return low < this.#size && ids[low] === id && this.#isLive[low] === 1 ? low : undefined
  }

  idOf(ordinal: number): number {
    return this.#chunkIds[ordinal] as number
  }

  embeddingOf(ordinal: number): number {
    return this.#embeddingIds[ordinal] as number
  }

  setEmbedding(ordinal: number, id: number): void {
    this.#embeddingIds[ordinal] = id
  }

  /** Returns a test for existing chunks of these kinds. Use it for one search only: it is valid until the next `add`. */
  wanted(kinds: readonly Kind[] | undefined): (ordinal: number) => boolean {
    const isLive = this.#isLive
    if (kinds === undefined) return (ordinal) => isLive[ordinal] === 1
    const kindOf = this.#kindOf
    const numbers = kinds.map((kind) => this.#kinds.indexOf(kind))
    return (ordinal) => isLive[ordinal] === 1 && numbers.includes(kindOf[ordinal] as number)
  }

  #numberOf(kind: Kind): number {
    const known = this.#kinds.indexOf(kind)
    if (known !== -1) return known
    if (this.#kinds.length === mostKinds) throw new RangeError(`There are more than ${mostKinds} kinds of chunks.`)
    return this.#kinds.push(kind) - 1
  }

  #grow(size: number): void {
    this.#chunkIds = grown(this.#chunkIds, new Uint32Array(size))
    this.#embeddingIds = grown(this.#embeddingIds, new Uint32Array(size))
    this.#isLive = grown(this.#isLive, new Uint8Array(size))
    this.#kindOf = grown(this.#kindOf, new Uint8Array(size))
  }
}
