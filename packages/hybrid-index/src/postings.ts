import { ByteLists, grown } from './byte-lists.ts'
import { TermTable } from './term-table.ts'

/** Constants of BM25: `k1` limits the weight of a repeated word, `b` the penalty for a long text. */
const k1 = 1.2
const b = 0.75
/** Words in more than this share of all texts are ignored if the query has other words. */
const commonShare = 0.4
/** Weight of a synonym that matches in place of a word of the query. */
const otherShare = 0.5

export type Ranked = { ordinal: number; score: number }

export type PostingsQuery = {
  limit: number
  /** Returns false for texts that were removed, which are then left out. */
  isLive(ordinal: number): boolean
  /** Synonyms of the query's words, which count half. */
  others?: readonly string[] | undefined
}

/**
 * An inverted index in memory. For each word it stores the texts that contain it, as differences of ordinals and as counts, in variable-length bytes
 * in slices of shared pages. Words are stored as 32-bit hashes: with 300,000 words, the odds that a given other word collides with one of them are 1
 * in 14,000, and a collision only ranks a text slightly wrong. Memory: about 2 bytes for each different word of each text. A query takes about 10 ns
 * for each text that contains one of its words.
 */
export class Postings {
  readonly #terms = new TermTable()
  readonly #lists = new ByteLists()
  /** By term: the ordinal of the newest text that contains it, and the number of such texts. */
  #lastOrdinal = new Int32Array(1 << 14).fill(-1)
  #counts = new Uint32Array(1 << 14)
  /** By term: the number of its occurrences in the text that is being added, at most 255. */
  #times = new Uint8Array(1 << 14)
  /** By ordinal: the length of the text in words, at most 65,535. */
  #lengths = new Uint16Array(1 << 14)
  #texts = 0
  #totalLength = 0
  #highest = -1
  /** By ordinal: the score in the present search. Between searches all scores are 0. */
  #scores = new Float32Array(0)
  /** Ordinals of the texts that contain a word of the query, in the order in which they were found. */
  #touched = new Uint32Array(0)
  #touchedCount = 0

  /** Adds the text numbered `ordinal`. @throws RangeError unless ordinals grow */
  add(ordinal: number, words: readonly string[]): void {
    if (ordinal <= this.#highest) throw new RangeError(`text ${ordinal} comes after ${this.#highest}`)
    this.#highest = ordinal
    if (ordinal >= this.#lengths.length)
      this.#lengths = grown(this.#lengths, new Uint16Array(Math.max(ordinal + 1, this.#lengths.length * 2)))
    this.#lengths[ordinal] = Math.min(words.length, 65_535)
    this.#texts += 1
    this.#totalLength += words.length
    const different = this.#countWords(words)
    const times = this.#times
    const counts = this.#counts
    const lastOrdinal = this.#lastOrdinal
    const lists = this.#lists
    for (const term of different) {
      const count = times[term] as number
      times[term] = 0
      const isRepeated = count > 1
      lists.putNumber(term, (ordinal - (lastOrdinal[term] as number)) * 2 + (isRepeated ? 1 : 0))
      if (isRepeated) lists.putByte(term, count)
      lastOrdinal[term] = ordinal
      counts[term] = (counts[term] as number) + 1
    }
  }

  /** Returns the best texts by BM25, best first. A text needs only one of the words. */
  search(words: readonly string[], { limit, isLive, others = [] }: PostingsQuery): Ranked[] {
    if (this.#texts === 0) return []
    const termsOf = (all: readonly string[]) =>
      all.map((word) => this.#terms.find(hashOf(word))).filter((term) => term !== -1)
    const isTelling = (term: number) => (this.#counts[term] as number) <= this.#texts * commonShare
    const known = termsOf(words)
    const telling = known.filter(isTelling)
    const used = telling.length > 0 ? telling : known
    if (this.#scores.length <= this.#highest) {
      this.#scores = new Float32Array(this.#lengths.length)
      this.#touched = new Uint32Array(this.#lengths.length)
    }
    this.#touchedCount = 0
    for (const term of used) this.#score(term, 1)
    for (const term of termsOf(others)) if (isTelling(term)) this.#score(term, otherShare)
    const met = this.#touched.subarray(0, this.#touchedCount)
    const best = topOf(met, this.#scores, { limit, isLive })
    for (const ordinal of met) this.#scores[ordinal] = 0
    return best
  }

  /**
   * Returns how informative a word is: near 0 if every text contains it, highest if no text does. @param texts counts as if there were at least so
   * many texts
   */
  rarity(word: string, texts = 0): number {
    const term = this.#terms.find(hashOf(word))
    return this.#rarityOf(term === -1 ? 0 : (this.#counts[term] as number), Math.max(texts, this.#texts))
  }

  /** Memory in use, bytes. */
  get bytes(): number {
    const byTerm = this.#lastOrdinal.byteLength + this.#counts.byteLength + this.#times.byteLength
    const bySearch = this.#lengths.byteLength + this.#scores.byteLength * 2
    return this.#terms.bytes + this.#lists.bytes + byTerm + bySearch
  }

  /** Counts the words of one text in `#times`. @returns its different terms */
  #countWords(words: readonly string[]): number[] {
    const different: number[] = []
    for (const word of words) {
      const term = this.#terms.findOrAdd(hashOf(word))
      if (term >= this.#times.length) this.#grow(term)
      const count = this.#times[term] as number
      if (count === 0) different.push(term)
      if (count < 255) this.#times[term] = count + 1
    }
    return different
  }

  #grow(term: number): void {
    const size = this.#times.length * 2
    this.#lists.reserve(size)
    this.#lastOrdinal = grown(this.#lastOrdinal, new Int32Array(size).fill(-1, term))
    this.#counts = grown(this.#counts, new Uint32Array(size))
    this.#times = grown(this.#times, new Uint8Array(size))
  }

  #rarityOf(count: number, texts = this.#texts): number {
    return Math.log(1 + (texts - count + 0.5) / (count + 0.5))
  }

  /** Adds to the score of each text that contains the term this share of the term's weight. */
  #score(term: number, share: number): void {
    const count = this.#counts[term] as number
    const rarity = this.#rarityOf(count) * share
    const average = this.#totalLength / this.#texts
    // Copy the fields to variables, because reading fields inside the loop is slow.
    const bytes = this.#lists.reader(term)
    const scores = this.#scores
    const lengths = this.#lengths
    const touched = this.#touched
    let touchedCount = this.#touchedCount
    let ordinal = -1
    for (let seen = 0; seen < count; seen += 1) {
      let byte = bytes.next()
      let step = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes.next()
        step |= (byte & 127) << shift
      }
      // The lowest bit says if the word occurs more than once. Mostly it occurs once, and then no count is stored.
      ordinal += step >>> 1
      const times = (step & 1) === 0 ? 1 : bytes.next()
      const weight = (times * (k1 + 1)) / (times + k1 * (1 - b + (b * (lengths[ordinal] as number)) / average))
      const before = scores[ordinal] as number
      if (before === 0) {
        touched[touchedCount] = ordinal
        touchedCount += 1
      }
      scores[ordinal] = before + rarity * weight
    }
    this.#touchedCount = touchedCount
  }
}

/** Returns the `limit` highest scores, highest first. Of equal scores, the newer text comes first. */
function topOf(
  ordinals: Uint32Array,
  scores: Float32Array,
  { limit, isLive }: Pick<PostingsQuery, 'limit' | 'isLive'>,
): Ranked[] {
  const best: Ranked[] = []
  let least = Number.NEGATIVE_INFINITY
  for (const ordinal of ordinals) {
    const score = scores[ordinal] as number
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

/** FNV-1a over UTF-16 units, with a final mix so that the low bits are as well distributed as the high bits. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
