/**
 * Stores one bit for each dimension of each vector: 1 if the value is above the mean. Similar vectors share most bits, so a scan of these codes
 * finds the few vectors that are worth an exact comparison. A text with 512 dimensions takes 64 bytes.
 */
export type Codes = {
  /** Adds a vector. Ordinals must grow; an ordinal without a vector is never found. */
  add(ordinal: number, vector: Float32Array): void
  /** Returns about `limit` ordinals whose codes share most bits with the query's, in no particular order. */
  near(query: Float32Array, limit: number, isLive: (ordinal: number) => boolean): number[]
  /** Returns the share of differing bits of two codes, 0..1; 1 if one of the two has no code. */
  difference(one: number, other: number): number
  /** Number of ordinals with a code. */
  readonly size: number
  readonly bytes: number
}

const none = 0xffff

/** @param centre the mean of the vectors. Signs relative to the mean distinguish vectors better than signs relative to zero. */
export function createCodes(dimensions: number, centre: Float32Array): Codes {
  const width = Math.ceil(dimensions / 32)
  let codes = new Uint32Array(width * 1024)
  let has = new Uint8Array(1024)
  let distances = new Uint16Array(1024)
  let end = 0
  let size = 0
  const asked = new Uint32Array(width)

  function encode(vector: Float32Array, into: Uint32Array, at: number) {
    for (let word = 0; word < width; word += 1) {
      let bits = 0
      const last = Math.min(32, dimensions - word * 32)
      for (let bit = 0; bit < last; bit += 1) {
        const place = word * 32 + bit
        if ((vector[place] as number) > (centre[place] as number)) bits |= 1 << bit
      }
      into[at + word] = bits
    }
  }

  /** Counts the bits in which a code and the query differ, two words at a time while their sums fit into four bits. */
  function differing(at: number): number {
    let total = 0
    let word = 0
    for (; word + 1 < width; word += 2) {
      let one = (codes[at + word] as number) ^ (asked[word] as number)
      let two = (codes[at + word + 1] as number) ^ (asked[word + 1] as number)
      one -= (one >>> 1) & 0x55555555
      two -= (two >>> 1) & 0x55555555
      const sums = (one & 0x33333333) + ((one >>> 2) & 0x33333333) + (two & 0x33333333) + ((two >>> 2) & 0x33333333)
      total += (Math.imul((sums & 0x0f0f0f0f) + ((sums >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24) | 0
    }
    if (word < width) total += bitsOf((codes[at + word] as number) ^ (asked[word] as number))
    return total
  }

  return {
    add(ordinal, vector) {
      while (ordinal >= has.length) {
        const length = has.length * 2
        codes = enlarged(codes, new Uint32Array(width * length))
        has = enlarged(has, new Uint8Array(length))
        distances = new Uint16Array(length)
      }
      encode(vector, codes, ordinal * width)
      if (has[ordinal] === 0) size += 1
      has[ordinal] = 1
      end = Math.max(end, ordinal + 1)
    },
    near(query, limit, isLive) {
      encode(query, asked, 0)
      const atDistance = new Uint32Array(dimensions + 1)
      for (let ordinal = 0, at = 0; ordinal < end; ordinal += 1, at += width) {
        if (has[ordinal] === 0 || !isLive(ordinal)) {
          distances[ordinal] = none
          continue
        }
        const distance = differing(at)
        distances[ordinal] = distance
        atDistance[distance] = (atDistance[distance] as number) + 1
      }
      let furthest = 0
      let within = atDistance[0] as number
      while (within < limit && furthest < dimensions) {
        furthest += 1
        within += atDistance[furthest] as number
      }
      const found: number[] = []
      for (let ordinal = 0; ordinal < end; ordinal += 1) {
        if ((distances[ordinal] as number) <= furthest) found.push(ordinal)
      }
      return found
    },
    difference(one, other) {
      if (has[one] !== 1 || has[other] !== 1) return 1
      let total = 0
      for (let word = 0; word < width; word += 1) {
        total += bitsOf((codes[one * width + word] as number) ^ (codes[other * width + word] as number))
      }
      return total / dimensions
    },
    get size() {
      return size
    },
    get bytes() {
      return codes.byteLength + has.byteLength + distances.byteLength
    },
  }
}

function bitsOf(word: number): number {
  let rest = word - ((word >>> 1) & 0x55555555)
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

function enlarged<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from)
  return to
}
