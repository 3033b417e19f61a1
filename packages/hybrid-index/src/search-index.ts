import { type Codes, createCodes } from './codes.ts'
import { defaultWeights, fuse, leaned, type Weights } from './fuse.ts'
import type { Added, ChunkPlace, ChunkView, IndexStore } from './index-store.ts'
import { Places } from './places.ts'
import { Postings } from './postings.ts'
import { noSynonyms, othersFor, type SynonymsOf } from './synonyms.ts'
import { queryWords, wordsOf } from './words.ts'

/** A chunk that was found. */
export type Hit<View extends ChunkView = ChunkView> = View & {
  /** Higher is better. Scores can be compared only within one search. */
  score: number
  /** Rank in each list, from 1; undefined if that list does not contain the chunk. */
  vectorRank?: number
  keywordRank?: number
  /** Number of other chunks with nearly the same content, which were left out. */
  folded: number
  /** Present if the search asked for it by `judge`. */
  evidence?: Evidence
}
/** Why a chunk answers a query, in numbers that can be compared between searches. */
export type Evidence = {
  /** The query's words that the chunk contains, directly or as synonyms. */
  words: string[]
  /** Their share of the query's words, 0..1, weighted by rarity. */
  coverage: number
  /**
   * How much nearer to the query the chunk's vector is than the farthest of the nearest chunks, 0..1. It does not depend on the scale of a model's
   * similarities. 0 without a vector, or with fewer than eight vectors to compare.
   */
  closeness: number
}
export type IndexOptions<View extends ChunkView = ChunkView> = {
  /** Default: vectors 0.7, keywords 0.3. */
  weights?: Weights
  /** Default: no word has synonyms. */
  synonymsOf?: SynonymsOf
  /** Returns a factor on a chunk's score; default 1. A few hundredths change the order by two or three ranks. */
  worthOf?(view: View): number
}
export type SearchOptions<Kind extends string = string> = {
  /** 1..100 */
  limit: number
  /** The query's vector of the serving model; undefined: only keywords count. */
  vector?: Float32Array | undefined
  weights?: Weights
  /** Only chunks of these kinds; undefined: all. */
  kinds?: readonly Kind[] | undefined
  /** Adds `evidence` to each hit. `ignored`: words of the query that count for nothing there. */
  judge?: { ignored: ReadonlySet<string> } | undefined
  /** The present time, Unix ms. Newer chunks count a little more: up to 3 %, decreasing over 30 days. */
  now: number
}

/** Number of hits that are read from each list, and number of candidates by code that are compared exactly. */
const listDepth = 60
const rescored = 480
/** Least number of vectors from which closeness can be judged. */
const fewestClose = 8
/** Words are at least as telling as in so many texts, because in a few texts every known word would seem common. */
const usualTexts = 50
/** If there are fewer texts than this, all are compared exactly. */
const fewTexts = 1_000
/** Two texts have nearly the same content if a smaller share of their codes' bits differs. */
const sameShare = 0.07
const dayMs = 86_400_000

/** Number of vectors from which the mean is computed. */
const sampled = 4_000

type Placed<Kind extends string> = ChunkPlace<Kind> & { words: readonly string[] }

/** Chunk ids by vector, nearest first, and by words, best first. */
type Lists = { vectors: number[]; keywords: number[]; closeness: ReadonlyMap<number, number> }

/**
 * A search index in memory, with postings and codes of all chunks. The store holds the texts and vectors. Until `load` has read all chunks, the
 * store itself answers searches: more slowly, with equally good results. Memory: about 2 bytes for each different word of each chunk, and 1 bit for
 * each dimension.
 */
export class SearchIndex<View extends ChunkView> {
  readonly #store: IndexStore<View>
  readonly #weights: Weights
  readonly #synonymsOf: SynonymsOf
  readonly #worthOf: (view: View) => number
  #postings = new Postings()
  #codes: Codes | undefined
  #places = new Places<View['kind']>()
  /** Number of vectors from which the present mean was computed. */
  #centredAt = 0
  #isLoaded = false

  constructor(store: IndexStore<View>, options: IndexOptions<View> = {}) {
    const { weights = defaultWeights, synonymsOf = noSynonyms, worthOf = () => 1 } = options
    this.#store = store
    this.#weights = weights
    this.#synonymsOf = synonymsOf
    this.#worthOf = worthOf
  }

  /** Reads all chunks again, in steps, so that other work can run in between. @param onProgress called with the share read, 0..1 */
  async load(onProgress: (share: number) => void = () => {}): Promise<void> {
    this.#postings = new Postings()
    this.#codes = undefined
    this.#places = new Places()
    this.#isLoaded = false
    this.#startCodes()
    const { chunks: all } = this.#store.counts()
    let after = 0
    for (;;) {
      const chunks = this.#store.chunks(after, 200)
      const last = chunks.at(-1)
      if (last === undefined) break
      this.#take(chunks.map((chunk) => ({ ...chunk, words: wordsOf(`${chunk.heading} ${chunk.text}`) })))
      after = last.id
      onProgress(Math.min(1, this.#places.size / Math.max(1, all)))
      await new Promise(setImmediate)
    }
    this.#isLoaded = true
  }

  /** Takes new chunks, or vectors for chunks that had none. */
  add(added: readonly Added[]): void {
    if (!this.#isLoaded || added.length === 0) return
    const words = new Map(added.map((each) => [each.id, each.words]))
    const fresh: Placed<View['kind']>[] = []
    for (const place of this.#store.places([...words.keys()])) {
      const { id, embeddingId } = place
      const known = this.#places.ordinalOf(id)
      if (known === undefined) fresh.push({ ...place, words: words.get(id) ?? [] })
      else if (embeddingId !== undefined) {
        const vector = this.#store.vectors([embeddingId]).get(embeddingId)
        this.#places.setEmbedding(known, embeddingId)
        if (this.#codes === undefined) this.#startCodes()
        if (vector !== undefined) this.#codes?.add(known, vector)
      }
    }
    this.#take(fresh)
  }

  remove(ids: readonly number[]): void {
    for (const id of ids) this.#places.remove(id)
  }

  /** True if reading everything again would make searches better: many texts were removed, or the mean was computed from too few vectors. */
  isStale(): boolean {
    const { size, dead } = this.#places
    const areManyGone = dead > Math.max(1_000, size / 4)
    const hasPoorMean =
      this.#codes !== undefined && this.#codes.size > 2 * this.#centredAt + 500 && this.#centredAt < sampled
    return this.#isLoaded && (areManyGone || hasPoorMean)
  }

  /**
   * Searches by vector and by words, and fuses the two lists. Age and `worthOf` separate similar scores. Near duplicates are left out in favour of
   * the best one.
   */
  search(query: string, options: SearchOptions<View['kind']>): Hit<View>[] {
    const { limit, vector, now, kinds, weights = this.#weights } = options
    const words = queryWords(query)
    const { vectors, keywords, closeness } = this.#isLoaded
      ? this.#listsHere(words, options)
      : this.#listsOfStore(words, vector)
    const trusted = vectors.length === 0 ? weights : leaned(weights, this.#coverage(words, keywords[0]))
    const fused = fuse(vectors, keywords, trusted).slice(0, Math.max(limit * 3, 30))
    const views = new Map(this.#store.views(fused.map(({ ordinal: id }) => id)).map((view) => [view.id, view]))
    const hits = fused.flatMap(({ ordinal: id, score, ...ranks }) => {
      const view = views.get(id)
      if (view === undefined || kinds?.includes(view.kind) === false) return []
      return { ...view, ...ranks, score: score * this.#worthOf(view) * recency(view, now), folded: 0 }
    })
    hits.sort((one, other) => other.score - one.score || other.id - one.id)
    const kept: Hit<View>[] = []
    for (const hit of hits) {
      const twin = kept.find((other) => this.#isNearly(other, hit))
      if (twin !== undefined) twin.folded += 1
      else if (kept.length < limit) kept.push(hit)
    }
    const { judge } = options
    if (judge === undefined) return kept
    const telling = words.filter((word) => !judge.ignored.has(word))
    return kept.map((hit) => ({
      ...hit,
      evidence: { ...this.#covered(telling, hit), closeness: closeness.get(hit.id) ?? 0 },
    }))
  }

  get isLoaded(): boolean {
    return this.#isLoaded
  }

  get bytes(): number {
    return this.#postings.bytes + (this.#codes?.bytes ?? 0) + this.#places.bytes
  }

  /** Creates the codes, relative to the mean of the stored vectors; without vectors, relative to zero. */
  #startCodes(): void {
    const model = this.#store.servingModel()
    if (model === undefined) return
    const sample = this.#store.sampleVectors(sampled)
    const centre = new Float32Array(model.dimensions)
    for (const vector of sample) {
      for (let at = 0; at < centre.length; at += 1)
        centre[at] = (centre[at] as number) + (vector[at] as number) / sample.length
    }
    this.#codes = createCodes(model.dimensions, centre)
    this.#centredAt = sample.length
  }

  #take(chunks: readonly Placed<View['kind']>[]): void {
    const vectors = this.#store.vectors(chunks.flatMap(({ embeddingId }) => embeddingId ?? []))
    for (const chunk of chunks) {
      const ordinal = this.#places.add(chunk)
      if (ordinal === undefined) continue
      this.#postings.add(ordinal, chunk.words)
      const vector = chunk.embeddingId === undefined ? undefined : vectors.get(chunk.embeddingId)
      if (vector !== undefined) this.#codes?.add(ordinal, vector)
    }
  }

  #listsHere(words: readonly string[], { vector, kinds }: SearchOptions<View['kind']>): Lists {
    const isWanted = this.#places.wanted(kinds)
    const others = othersFor(words, this.#synonymsOf)
    const near = vector === undefined ? [] : this.#byVector(vector, isWanted)
    const farthest = near.length < fewestClose ? 0 : (near.at(-1)?.distance ?? 0)
    const byWords = this.#postings.search(words, { limit: listDepth, isLive: isWanted, others })
    return {
      vectors: near.map(({ ordinal }) => this.#places.idOf(ordinal)),
      keywords: byWords.map(({ ordinal }) => this.#places.idOf(ordinal)),
      closeness: new Map(
        farthest === 0
          ? []
          : near.map(({ ordinal, distance }) => [this.#places.idOf(ordinal), (farthest - distance) / farthest]),
      ),
    }
  }

  #listsOfStore(words: readonly string[], vector: Float32Array | undefined): Lists {
    return {
      vectors: vector === undefined ? [] : this.#store.nearest(vector, listDepth),
      keywords: this.#store.matching([...words, ...othersFor(words, this.#synonymsOf)], listDepth),
      closeness: new Map(),
    }
  }

  /** Returns ordinals with their cosine distance to the query, nearest first. */
  #byVector(query: Float32Array, isWanted: (ordinal: number) => boolean): { ordinal: number; distance: number }[] {
    const codes = this.#codes
    if (codes === undefined || query.length !== this.#store.servingModel()?.dimensions) return []
    const near = codes.near(query, codes.size <= fewTexts ? codes.size : rescored, isWanted)
    const byEmbedding = new Map<number, number[]>()
    for (const ordinal of near) {
      const id = this.#places.embeddingOf(ordinal)
      const same = byEmbedding.get(id)
      if (same === undefined) byEmbedding.set(id, [ordinal])
      else same.push(ordinal)
    }
    return this.#store
      .rescore(query, [...byEmbedding.keys()], listDepth)
      .flatMap(({ embeddingId, distance }) =>
        (byEmbedding.get(embeddingId) ?? []).map((ordinal) => ({ ordinal, distance })),
      )
      .slice(0, listDepth)
  }

  /** Returns the share, 0..1, of the query's words that a chunk contains. */
  #coverage(words: readonly string[], id: number | undefined): number {
    const [best] = id === undefined ? [] : this.#store.views([id])
    return best === undefined ? 0 : this.#covered(words, best, 0).coverage
  }

  /**
   * Returns the words of a query that a chunk contains, directly or as synonyms, and their share. Words are weighted by their rarity in at least so
   * many texts.
   */
  #covered(words: readonly string[], { heading, text }: ChunkView, texts = usualTexts): Omit<Evidence, 'closeness'> {
    const has = new Set(wordsOf(`${heading} ${text}`))
    const found = words.filter((word) => [word, ...this.#synonymsOf(word)].some((other) => has.has(other)))
    const worth = (all: readonly string[]) =>
      all.reduce((sum, word) => sum + (this.#isLoaded ? this.#postings.rarity(word, texts) : 1), 0)
    const all = worth(words)
    return { words: found, coverage: all === 0 ? 0 : worth(found) / all }
  }

  #isNearly(one: ChunkView, other: ChunkView): boolean {
    if (one.text === other.text || overlap(one, other)) return true
    const [first, second] = [this.#places.ordinalOf(one.id), this.#places.ordinalOf(other.id)]
    return first !== undefined && second !== undefined && (this.#codes?.difference(first, second) ?? 1) < sameShare
  }
}

/** True if two chunks of the same text share more than half of the shorter chunk's lines. */
function overlap(one: ChunkView, other: ChunkView): boolean {
  if (one.name !== other.name || one.firstLine === one.lastLine) return false
  const shared = Math.min(one.lastLine, other.lastLine) - Math.max(one.firstLine, other.firstLine) + 1
  const shorter = Math.min(one.lastLine - one.firstLine, other.lastLine - other.firstLine) + 1
  return shared * 2 > shorter
}

/** Factor for a newer chunk. It is small: it changes the order by two or three ranks. */
const recency = ({ changedAt }: ChunkView, now: number) =>
  1 + 0.03 * Math.exp(-Math.max(0, now - changedAt) / (30 * dayMs))
