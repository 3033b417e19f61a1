import type { Added, ChunkView, IndexStore, StoredChunk } from './index-store.ts'
import { Postings } from './postings.ts'
import { wordsOf } from './words.ts'

/** A chunk to add. `vector`: must have the dimensions of the store; undefined: the chunk is found only by its words. */
export type NewChunk<View extends ChunkView = ChunkView> = Omit<View, 'id'> & { vector?: Float32Array }

/**
 * Stores chunks and vectors in arrays, for programs without a database. The program must report each change by `add` and `remove` to the search
 * index too. Memory: the texts, and 4 bytes for each dimension of each vector.
 * @param dimensions number of values in a vector; undefined: the store has no vectors.
 */
export function createInMemoryStore<View extends ChunkView = ChunkView>(dimensions?: number) {
  // The chunks, indexed by id. A vector has the id of its chunk.
  const all: ({ view: View; vector: Float32Array | undefined } | undefined)[] = [undefined]
  let count = 0
  const found = (ids: readonly number[]) => ids.flatMap((id) => all[id] ?? [])
  const textOf = ({ heading, text }: ChunkView) => `${heading} ${text}`
  const placeOf = ({ view, vector }: (typeof all)[number] & object) => ({
    id: view.id,
    kind: view.kind as View['kind'],
    embeddingId: vector && view.id,
  })
  const existing = () => found([...all.keys()])

  const store: IndexStore<View> = {
    counts: () => ({ chunks: count }),
    chunks(after, limit) {
      const some: StoredChunk<View['kind']>[] = []
      for (let id = after + 1; id < all.length && some.length < limit; id += 1) {
        const entry = all[id]
        if (entry) some.push({ ...placeOf(entry), text: entry.view.text, heading: entry.view.heading })
      }
      return some
    },
    places: (ids) => found([...ids].sort((one, other) => one - other)).map(placeOf),
    views: (ids) => found(ids).map(({ view }) => view),
    servingModel: () => (dimensions === undefined ? undefined : { dimensions }),
    sampleVectors(limit) {
      const vectors = existing().flatMap(({ vector }) => vector ?? [])
      const step = Math.max(1, Math.floor(vectors.length / limit))
      return vectors.filter((_, at) => at % step === 0).slice(0, limit)
    },
    vectors: (ids) => new Map(found(ids).flatMap(({ view, vector }) => (vector ? [[view.id, vector]] : []))),
    rescore: (query, ids, limit) =>
      found(ids)
        .flatMap(({ view, vector }) =>
          vector ? { embeddingId: view.id, distance: cosineDistance(query, vector) } : [],
        )
        .sort((one, other) => one.distance - other.distance)
        .slice(0, limit),
    nearest: (query, limit) => store.rescore(query, [...all.keys()], limit).map(({ embeddingId }) => embeddingId),
    matching(words, limit) {
      const postings = new Postings()
      for (const { view } of existing()) postings.add(view.id, wordsOf(textOf(view)))
      return postings.search(words, { limit, isLive: () => true }).map(({ ordinal }) => ordinal)
    },
  }

  return {
    ...store,
    /** Adds chunks. @returns the argument for the index's `add`. @throws RangeError if a vector does not have the dimensions of the store. */
    add(chunks: readonly NewChunk<View>[]): Added[] {
      const wrong = chunks.find(({ vector }) => vector !== undefined && vector.length !== dimensions)
      if (wrong !== undefined)
        throw new RangeError(`A vector has ${wrong.vector?.length} numbers, where the store has ${dimensions}.`)
      return chunks.map(({ vector, ...rest }) => {
        const view = { ...rest, id: all.length } as unknown as View
        all.push({ view, vector })
        count += 1
        return { id: view.id, words: wordsOf(textOf(view)) }
      })
    },
    /** Removes chunks. Ids that do not exist are ignored. */
    remove(ids: readonly number[]): void {
      for (const id of ids) {
        if (all[id] === undefined) continue
        all[id] = undefined
        count -= 1
      }
    },
  }
}

function cosineDistance(one: Float32Array, other: Float32Array): number {
  let [dot, first, second] = [0, 0, 0]
  for (let at = 0; at < one.length; at += 1) {
    const [a, b] = [one[at] as number, other[at] as number]
    dot += a * b
    first += a * a
    second += b * b
  }
  return first === 0 || second === 0 ? 1 : 1 - dot / Math.sqrt(first * second)
}
