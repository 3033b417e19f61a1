import { grown } from './byte-lists.ts'

/** Numbers 32-bit hashes from 0, in the order in which they are added. An open hash table that is at most half full. */
export class TermTable {
  #mask = (1 << 16) - 1
  #slots = new Int32Array(this.#mask + 1).fill(-1)
  #hashes = new Uint32Array(1 << 14)
  #count = 0

  /** @returns the hash's number; -1 if it has none */
  find(hash: number): number {
    return this.#slots[this.#slotOf(hash)] as number
  }

  findOrAdd(hash: number): number {
    const slot = this.#slotOf(hash)
    const known = this.#slots[slot] as number
    if (known !== -1) return known
    const term = this.#count
    if (term === this.#hashes.length) this.#hashes = grown(this.#hashes, new Uint32Array(term * 2))
    this.#count += 1
    this.#hashes[term] = hash
    this.#slots[slot] = term
    if (this.#count * 2 > this.#mask) this.#enlarge()
    return term
  }

  get bytes(): number {
    return this.#slots.byteLength + this.#hashes.byteLength
  }

  /** Returns the slot of a hash, or the free slot where it would be stored. */
  #slotOf(hash: number): number {
    const slots = this.#slots
    const hashes = this.#hashes
    const mask = this.#mask
    let slot = hash & mask
    for (;;) {
      const term = slots[slot] as number
      if (term === -1 || hashes[term] === hash) return slot
      slot = (slot + 1) & mask
    }
  }

  #enlarge(): void {
    this.#mask = this.#mask * 2 + 1
    this.#slots = new Int32Array(this.#mask + 1).fill(-1)
    for (let term = 0; term < this.#count; term += 1) {
      let slot = (this.#hashes[term] as number) & this.#mask
      while (this.#slots[slot] !== -1) slot = (slot + 1) & this.#mask
      this.#slots[slot] = term
    }
  }
}
