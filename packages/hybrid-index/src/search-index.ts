import { type Codes, createCodes } from './codes.ts'
import { defaultWeights, fuse, leaned, type Weights } from './fuse.ts'
import type { Added, ChunkPlace, ChunkView, IndexStore } from './index-store.ts'
import { createPostings, type Postings } from './postings.ts'
import { noSynonyms, othersFor, type SynonymsOf } from './synonyms.ts'
import { queryWords, wordsOf } from './words.ts'

/** A chunk that was found. */
export type Hit<View extends ChunkView = ChunkView> = View & {
  /** Higher is better; comparable within one search alone. */
  score: number
  /** Its place in each list, from 1; absent where that list does not have it. */
  vectorRank?: number
  keywordRank?: number
  /** How many others said nearly the same and were left out. */
  folded: number
}
export type IndexOptions<View extends ChunkView = ChunkView> = {
  /** Default: vectors 0.7, keywords 0.3. */
  weights?: Weights
  /** Default: no word has another. */
  synonymsOf?: SynonymsOf
  /** A factor on a chunk's score; default 1. A few hundredths are as much as two or three ranks. */
  worthOf?(view: View): number
}
export type SearchOptions<Kind extends string = string> = {
  /** 1..100 */
  limit: number
  /** The query as the serving model sees it; without it, keywords alone decide. */
  vector?: Float32Array | undefined
  weights?: Weights
  /** Only chunks of these kinds; absent: all. */
  kinds?: readonly Kind[] | undefined
  /** Unix ms. What is newer counts a little more: up to 3 %, fading over 30 days. */
  now: number
}

/** How deep each list is read, and how many codes are compared in full for one wanted text. */
const listDepth = 60
const rescored = 480
/** Fewer texts than this are all compared in full. */
const fewTexts = 1_000
/** Two texts whose codes differ in fewer bits say nearly the same. */
const sameShare = 0.07
const dayMs = 86_400_000
const mostKinds = 256

/**
 * Postings and codes of all chunks in memory, over the store that has the texts and vectors. Until `load` has read them
 * all, searches are served by the store itself: slower, and as right.
 * Memory: about 2 bytes for each different word of each chunk and 1 bit for each dimension.
 */
export function createSearchIndex<View extends ChunkView>(
  store: IndexStore<View>,
  { weights = defaultWeights, synonymsOf = noSynonyms, worthOf = () => 1 }: IndexOptions<View> = {},
) {
  type Kind = View['kind']
  type Placed = ChunkPlace<Kind> & { words: readonly string[] }
  let postings: Postings = createPostings()
  let codes: Codes | undefined
  let centredAt = 0
  /** By ordinal: which chunk, its vector, and whether it still stands. Ids only grow, so that a chunk is found by halving. */
  let chunkIds = new Uint32Array(1024)
  let embeddingIds = new Uint32Array(1024)
  let isLive = new Uint8Array(1024)
  let kindOf = new Uint8Array(1024)
  const kindNumbers: Kind[] = []
  let size = 0
  let dead = 0
  let isLoaded = false

  const standing = (ordinal: number) => isLive[ordinal] === 1

  function ordinalOf(id: number): number | undefined {
    let low = 0
    let high = size
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((chunkIds[middle] as number) < id) low = middle + 1
      else high = middle
    }
    return low < size && chunkIds[low] === id && standing(low) ? low : undefined
  }

  function numberOf(kind: Kind): number {
    const known = kindNumbers.indexOf(kind)
    if (known !== -1) return known
    if (kindNumbers.length === mostKinds) throw new RangeError(`There are more than ${mostKinds} kinds of chunks.`)
    return kindNumbers.push(kind) - 1
  }

  function forget() {
    postings = createPostings()
    codes = undefined
    size = 0
    dead = 0
    isLoaded = false
  }

  /** Signs are taken around the mean of what is there; without enough texts to say, around zero. */
  function startCodes() {
    const model = store.servingModel()
    if (model === undefined) return
    const sample = store.sampleVectors(4_000)
    const centre = new Float32Array(model.dimensions)
    for (const vector of sample) {
      for (let at = 0; at < centre.length; at += 1)
        centre[at] = (centre[at] as number) + (vector[at] as number) / sample.length
    }
    codes = createCodes(model.dimensions, centre)
    centredAt = sample.length
  }

  function take(chunks: readonly Placed[]) {
    const vectors = store.vectors(chunks.flatMap(({ embeddingId }) => embeddingId ?? []))
    for (const { id, kind, embeddingId, words } of chunks) {
      if (size > 0 && id <= (chunkIds[size - 1] as number)) continue
      if (size === chunkIds.length) {
        chunkIds = enlarged(chunkIds, new Uint32Array(size * 2))
        embeddingIds = enlarged(embeddingIds, new Uint32Array(size * 2))
        isLive = enlarged(isLive, new Uint8Array(size * 2))
        kindOf = enlarged(kindOf, new Uint8Array(size * 2))
      }
      const ordinal = size
      size += 1
      chunkIds[ordinal] = id
      embeddingIds[ordinal] = embeddingId ?? 0
      isLive[ordinal] = 1
      kindOf[ordinal] = numberOf(kind)
      postings.add(ordinal, words)
      const vector = embeddingId === undefined ? undefined : vectors.get(embeddingId)
      if (vector !== undefined) codes?.add(ordinal, vector)
    }
  }

  /** Reads all again, in steps between which others may run. @param onProgress hears a share, 0..1. */
  async function load(onProgress: (share: number) => void = () => {}): Promise<void> {
    forget()
    startCodes()
    const { chunks: all } = store.counts()
    let after = 0
    for (;;) {
      const chunks = store.chunks(after, 200)
      const last = chunks.at(-1)
      if (last === undefined) break
      take(chunks.map((chunk) => ({ ...chunk, words: wordsOf(`${chunk.heading} ${chunk.text}`) })))
      after = last.id
      onProgress(Math.min(1, size / Math.max(1, all)))
      await new Promise(setImmediate)
    }
    isLoaded = true
  }

  /** New chunks, or vectors for chunks that had none. */
  function add(added: readonly Added[]) {
    if (!isLoaded || added.length === 0) return
    const words = new Map(added.map((each) => [each.id, each.words]))
    const fresh: Placed[] = []
    for (const place of store.places([...words.keys()])) {
      const { id, embeddingId } = place
      const known = ordinalOf(id)
      if (known === undefined) fresh.push({ ...place, words: words.get(id) ?? [] })
      else if (embeddingId !== undefined) {
        const vector = store.vectors([embeddingId]).get(embeddingId)
        embeddingIds[known] = embeddingId
        if (codes === undefined) startCodes()
        if (vector !== undefined) codes?.add(known, vector)
      }
    }
    take(fresh)
  }

  function remove(ids: readonly number[]) {
    for (const id of ids) {
      const ordinal = ordinalOf(id)
      if (ordinal === undefined) continue
      isLive[ordinal] = 0
      dead += 1
    }
  }

  /** Tests if so much has changed that a new read of everything makes searches better: many texts are gone, or the mean rests on too few. */
  const isStale = () =>
    isLoaded &&
    (dead > Math.max(1_000, size / 4) || (codes !== undefined && codes.size > 2 * centredAt + 500 && centredAt < 4_000))

  /** Ordinals by the angle to the query, nearest first. */
  function byVector(query: Float32Array, limit: number, isWanted: (ordinal: number) => boolean): number[] {
    if (codes === undefined || query.length !== store.servingModel()?.dimensions) return []
    const near = codes.near(query, codes.size <= fewTexts ? codes.size : rescored, isWanted)
    const byEmbedding = new Map<number, number[]>()
    for (const ordinal of near) {
      const id = embeddingIds[ordinal] as number
      const same = byEmbedding.get(id)
      if (same === undefined) byEmbedding.set(id, [ordinal])
      else same.push(ordinal)
    }
    return store
      .rescore(query, [...byEmbedding.keys()], limit)
      .flatMap(({ embeddingId }) => byEmbedding.get(embeddingId) ?? [])
      .slice(0, limit)
  }

  /** The share, 0..1, of what was asked that the text has, in these or other words, each counted by how much it tells. */
  function coverage(words: readonly string[], id: number | undefined): number {
    const [best] = id === undefined ? [] : store.views([id])
    if (best === undefined) return 0
    const has = new Set(wordsOf(`${best.heading} ${best.text}`))
    let all = 0
    let found = 0
    for (const word of words) {
      const worth = isLoaded ? postings.rarity(word) : 1
      all += worth
      if ([word, ...synonymsOf(word)].some((other) => has.has(other))) found += worth
    }
    return all === 0 ? 0 : found / all
  }

  function lists(words: readonly string[], vector: Float32Array | undefined, kinds: readonly Kind[] | undefined) {
    if (isLoaded) {
      const numbers = kinds?.map((kind) => kindNumbers.indexOf(kind))
      const isWanted =
        numbers === undefined ? standing : (at: number) => standing(at) && numbers.includes(kindOf[at] as number)
      const idOf = (ordinal: number) => chunkIds[ordinal] as number
      return {
        vectors: vector === undefined ? [] : byVector(vector, listDepth, isWanted).map(idOf),
        keywords: postings
          .search(words, listDepth, isWanted, othersFor(words, synonymsOf))
          .map(({ ordinal }) => idOf(ordinal)),
      }
    }
    return {
      vectors: vector === undefined ? [] : store.nearest(vector, listDepth),
      keywords: store.matching([...words, ...othersFor(words, synonymsOf)], listDepth),
    }
  }

  /** Both ways, fused; equals are told apart by age and by where they stand; near duplicates are folded into the best. */
  function search(
    query: string,
    { limit, vector, now, kinds, weights: asked = weights }: SearchOptions<Kind>,
  ): Hit<View>[] {
    const words = queryWords(query)
    const { vectors, keywords } = lists(words, vector, kinds)
    const trusted = vectors.length === 0 ? asked : leaned(asked, coverage(words, keywords[0]))
    const fused = fuse(vectors, keywords, trusted).slice(0, Math.max(limit * 3, 30))
    const views = new Map(store.views(fused.map(({ ordinal: id }) => id)).map((view) => [view.id, view]))
    const hits = fused.flatMap(({ ordinal: id, score, ...ranks }) => {
      const view = views.get(id)
      if (view === undefined || kinds?.includes(view.kind) === false) return []
      return { ...view, ...ranks, score: score * worthOf(view) * recency(view, now), folded: 0 }
    })
    hits.sort((one, other) => other.score - one.score || other.id - one.id)
    const kept: Hit<View>[] = []
    for (const hit of hits) {
      const twin = kept.find((other) => isNearly(other, hit))
      if (twin !== undefined) twin.folded += 1
      else if (kept.length < limit) kept.push(hit)
    }
    return kept
  }

  function isNearly(one: ChunkView, other: ChunkView): boolean {
    if (one.text === other.text) return true
    if (one.name === other.name) {
      const shared = Math.min(one.lastLine, other.lastLine) - Math.max(one.firstLine, other.firstLine) + 1
      const shorter = Math.min(one.lastLine - one.firstLine, other.lastLine - other.firstLine) + 1
      if (one.firstLine !== one.lastLine && shared * 2 > shorter) return true
    }
    const [first, second] = [ordinalOf(one.id), ordinalOf(other.id)]
    return first !== undefined && second !== undefined && (codes?.difference(first, second) ?? 1) < sameShare
  }

  return {
    load,
    add,
    remove,
    isStale,
    search,
    get isLoaded() {
      return isLoaded
    },
    get bytes() {
      return postings.bytes + (codes?.bytes ?? 0) + chunkIds.length * 9
    },
  }
}

/** Gentle: as much as two or three ranks. */
const recency = ({ changedAt }: ChunkView, now: number) =>
  1 + 0.03 * Math.exp(-Math.max(0, now - changedAt) / (30 * dayMs))

function enlarged<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from)
  return to
}
