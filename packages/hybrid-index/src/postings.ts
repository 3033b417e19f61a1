/** Constants of BM25: `k1` limits the weight of a repeated word, `b` the penalty for a long text. */
const k1 = 1.2
const b = 0.75
/** Words in more than this share of all texts say nothing where the query has others. */
const commonShare = 0.4
/** Weight of a different word that matches in place of an asked one. */
const otherShare = 0.5

const pageBytes = 1 << 20
const pageBits = 20
/** Each slice of a list is larger than the one before, so that a word that is in few texts takes few bytes. */
const sliceBytes = [16, 32, 64, 128, 256, 512, 1024, 4096]
const linkBytes = 4
const none = 0xffffffff

export type Postings = {
  /** Adds the text numbered `ordinal`; ordinals only grow. */
  add(ordinal: number, words: readonly string[]): void
  /**
   * The best by BM25, best first. Any of the words counts. @param isLive leaves out what was removed since.
   * @param others words for the same that count half.
   */
  search(
    words: readonly string[],
    limit: number,
    isLive: (ordinal: number) => boolean,
    others?: readonly string[],
  ): Ranked[]
  /** How much a word tells: near 0 where every text has it, most where none has. */
  rarity(word: string): number
  /** How many bytes it holds. */
  readonly bytes: number
}
export type Ranked = { ordinal: number; score: number }

/**
 * An inverted index in memory: for each word the texts that have it, as differences of ordinals and counts in
 * variable-length bytes, in slices of shared pages. Words are kept as 32-bit hashes: of 300,000 words the odds that a
 * given other one meets one of them are 1 in 14,000, and then one text ranks a little wrong.
 * Costs about 2 bytes for each different word of each text; a query costs about 10 ns for each text that has one of
 * its words.
 */
export function createPostings(): Postings {
  let tableMask = (1 << 16) - 1
  let slots = new Int32Array(tableMask + 1).fill(-1)
  let terms = 0
  let hashes = new Uint32Array(1 << 14)
  let first = new Uint32Array(1 << 14)
  let tail = new Uint32Array(1 << 14)
  let left = new Uint16Array(1 << 14)
  let level = new Uint8Array(1 << 14)
  let lastOrdinal = new Int32Array(1 << 14)
  let counts = new Uint32Array(1 << 14)
  /** How often the text that is being added has each word, up to what is kept of it. */
  let times = new Uint8Array(1 << 14)
  let lengths = new Uint16Array(1 << 14)
  let texts = 0
  let totalLength = 0
  let highest = -1
  const pages: Uint8Array[] = []
  let nextFree = 0
  let scores = new Float32Array(0)
  /** The texts that have one of the words asked for, in the order met. */
  let touched = new Uint32Array(0)
  let touchedCount = 0

  function termOf(hash: number, isNew: boolean): number {
    let slot = hash & tableMask
    for (;;) {
      const term = slots[slot] as number
      if (term === -1) break
      if (hashes[term] === hash) return term
      slot = (slot + 1) & tableMask
    }
    if (!isNew) return -1
    if (terms === hashes.length) {
      const size = terms * 2
      hashes = grown(hashes, new Uint32Array(size))
      first = grown(first, new Uint32Array(size))
      tail = grown(tail, new Uint32Array(size))
      left = grown(left, new Uint16Array(size))
      level = grown(level, new Uint8Array(size))
      lastOrdinal = grown(lastOrdinal, new Int32Array(size))
      counts = grown(counts, new Uint32Array(size))
      times = grown(times, new Uint8Array(size))
    }
    const term = terms
    terms += 1
    hashes[term] = hash
    first[term] = none
    lastOrdinal[term] = -1
    slots[slot] = term
    if (terms * 2 > tableMask) enlargeTable()
    return term
  }

  function enlargeTable() {
    tableMask = tableMask * 2 + 1
    slots = new Int32Array(tableMask + 1).fill(-1)
    for (let term = 0; term < terms; term += 1) {
      let slot = (hashes[term] as number) & tableMask
      while (slots[slot] !== -1) slot = (slot + 1) & tableMask
      slots[slot] = term
    }
  }

  /** A slice never crosses a page. @returns its address. */
  function newSlice(bytes: number): number {
    const offset = nextFree & (pageBytes - 1)
    if (pages.length === 0 || offset + bytes > pageBytes || nextFree >>> pageBits >= pages.length) {
      nextFree = pages.length << pageBits
      pages.push(new Uint8Array(pageBytes))
    }
    const address = nextFree
    nextFree += bytes
    return address
  }

  function putByte(term: number, byte: number) {
    if (first[term] === none) {
      const bytes = sliceBytes[0] as number
      const address = newSlice(bytes)
      first[term] = address
      tail[term] = address
      left[term] = bytes - linkBytes
    } else if (left[term] === 0) {
      const grade = Math.min((level[term] as number) + 1, sliceBytes.length - 1)
      const bytes = sliceBytes[grade] as number
      const address = newSlice(bytes)
      const at = tail[term] as number
      const page = pages[at >>> pageBits] as Uint8Array
      const offset = at & (pageBytes - 1)
      for (let byteAt = 0; byteAt < linkBytes; byteAt += 1) page[offset + byteAt] = address >>> (8 * byteAt)
      level[term] = grade
      tail[term] = address
      left[term] = bytes - linkBytes
    }
    const at = tail[term] as number
    ;(pages[at >>> pageBits] as Uint8Array)[at & (pageBytes - 1)] = byte
    tail[term] = at + 1
    left[term] = (left[term] as number) - 1
  }

  function putNumber(term: number, value: number) {
    let rest = value
    while (rest > 127) {
      putByte(term, (rest & 127) | 128)
      rest >>>= 7
    }
    putByte(term, rest)
  }

  const rarityOf = (count: number) => Math.log(1 + (texts - count + 0.5) / (count + 0.5))

  /** Adds to `scores` that share of what one word is worth to each text that has it. */
  function scoreTerm(term: number, share: number) {
    const count = counts[term] as number
    const rarity = rarityOf(count) * share
    const average = totalLength / texts
    let at = first[term] as number
    let page = pages[at >>> pageBits] as Uint8Array
    let offset = at & (pageBytes - 1)
    let grade = 0
    let rest = (sliceBytes[0] as number) - linkBytes
    let ordinal = -1
    const next = () => {
      if (rest === 0) {
        at =
          ((page[offset] as number) |
            ((page[offset + 1] as number) << 8) |
            ((page[offset + 2] as number) << 16) |
            ((page[offset + 3] as number) << 24)) >>>
          0
        page = pages[at >>> pageBits] as Uint8Array
        offset = at & (pageBytes - 1)
        grade = Math.min(grade + 1, sliceBytes.length - 1)
        rest = (sliceBytes[grade] as number) - linkBytes
      }
      rest -= 1
      const byte = page[offset] as number
      offset += 1
      return byte
    }
    for (let seen = 0; seen < count; seen += 1) {
      let byte = next()
      let step = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = next()
        step |= (byte & 127) << shift
      }
      // The lowest bit says whether the word stands there more than once: mostly it does not, and needs no count.
      ordinal += step >>> 1
      const times = (step & 1) === 0 ? 1 : next()
      const weight = (times * (k1 + 1)) / (times + k1 * (1 - b + (b * (lengths[ordinal] as number)) / average))
      const before = scores[ordinal] as number
      if (before === 0) {
        touched[touchedCount] = ordinal
        touchedCount += 1
      }
      scores[ordinal] = before + rarity * weight
    }
  }

  return {
    add(ordinal, words) {
      if (ordinal <= highest) throw new RangeError(`text ${ordinal} comes after ${highest}`)
      highest = ordinal
      if (ordinal >= lengths.length)
        lengths = grown(lengths, new Uint16Array(Math.max(ordinal + 1, lengths.length * 2)))
      lengths[ordinal] = Math.min(words.length, 65_535)
      texts += 1
      totalLength += words.length
      const different: number[] = []
      for (const word of words) {
        const term = termOf(hashOf(word), true)
        const count = times[term] as number
        if (count === 0) different.push(term)
        if (count < 255) times[term] = count + 1
      }
      for (const term of different) {
        const count = times[term] as number
        times[term] = 0
        const isRepeated = count > 1
        putNumber(term, (ordinal - (lastOrdinal[term] as number)) * 2 + (isRepeated ? 1 : 0))
        if (isRepeated) putByte(term, count)
        lastOrdinal[term] = ordinal
        counts[term] = (counts[term] as number) + 1
      }
    },
    search(words, limit, isLive, others = []) {
      if (texts === 0) return []
      const termsOf = (all: readonly string[]) =>
        all.map((word) => termOf(hashOf(word), false)).filter((term) => term !== -1)
      const isTelling = (term: number) => (counts[term] as number) <= texts * commonShare
      const known = termsOf(words)
      const telling = known.filter(isTelling)
      const used = telling.length > 0 ? telling : known
      if (scores.length <= highest) {
        scores = new Float32Array(lengths.length)
        touched = new Uint32Array(lengths.length)
      }
      touchedCount = 0
      for (const term of used) scoreTerm(term, 1)
      for (const term of termsOf(others)) if (isTelling(term)) scoreTerm(term, otherShare)
      const best = topOf(touched.subarray(0, touchedCount), (ordinal) => scores[ordinal] as number, limit, isLive)
      for (let at = 0; at < touchedCount; at += 1) scores[touched[at] as number] = 0
      return best
    },
    rarity(word) {
      const term = termOf(hashOf(word), false)
      return rarityOf(term === -1 ? 0 : (counts[term] as number))
    },
    get bytes() {
      return (
        pages.length * pageBytes + slots.byteLength + hashes.length * 24 + lengths.byteLength + scores.byteLength * 2
      )
    },
  }
}

/** The `limit` highest, highest first; of equals the newer one. */
function topOf(
  ordinals: Uint32Array,
  scoreOf: (ordinal: number) => number,
  limit: number,
  isLive: (ordinal: number) => boolean,
): Ranked[] {
  const best: Ranked[] = []
  let least = Number.NEGATIVE_INFINITY
  for (const ordinal of ordinals) {
    const score = scoreOf(ordinal)
    if ((best.length === limit && score <= least) || !isLive(ordinal)) continue
    let low = 0
    let high = best.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = best[middle] as Ranked
      if (other.score > score || (other.score === score && other.ordinal > ordinal)) low = middle + 1
      else high = middle
    }
    best.splice(low, 0, { ordinal, score })
    if (best.length > limit) best.pop()
    if (best.length === limit) least = (best[limit - 1] as Ranked).score
  }
  return best
}

/** FNV-1a over UTF-16 units, with a last mix so that the low bits are as good as the high ones. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from)
  return to
}
