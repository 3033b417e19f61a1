/** Weights of a text's rank in each of the two lists. Ranks are used because the scores of the lists cannot be compared. The sum is 1. */
export type Weights = { vector: number; keyword: number }
export const defaultWeights: Weights = { vector: 0.7, keyword: 0.3 }

/**
 * Shifts weight from vectors to keywords, by how much of the query the best keyword hit contains: an address or a name is found by its letters, but
 * a paraphrase has no letters in common. @param coverage 0..1: at 0 the weights stay, at 1 only keywords count
 */
export const leaned = ({ vector, keyword }: Weights, coverage: number): Weights => ({
  vector: vector * (1 - coverage),
  keyword: keyword + vector * coverage,
})

export type Fused = {
  ordinal: number
  score: number
  /** Rank from 1; undefined if that list does not contain the text. */
  vectorRank?: number
  keywordRank?: number
}

/** Larger values give lower ranks more weight. 60 is the value in the publication of the method (Cormack, Clarke, Büttcher 2009). */
const k = 60

/** Reciprocal rank fusion of two lists of ordinals, which are best first. Returns the highest score first. */
export function fuse(
  byVector: readonly number[],
  byKeyword: readonly number[],
  weights: Weights = defaultWeights,
): Fused[] {
  const fused = new Map<number, Fused>()
  byVector.forEach((ordinal, place) => {
    fused.set(ordinal, { ordinal, score: weights.vector / (k + place + 1), vectorRank: place + 1 })
  })
  byKeyword.forEach((ordinal, place) => {
    const known = fused.get(ordinal) ?? { ordinal, score: 0 }
    fused.set(ordinal, { ...known, score: known.score + weights.keyword / (k + place + 1), keywordRank: place + 1 })
  })
  return [...fused.values()].sort((one, other) => other.score - one.score || other.ordinal - one.ordinal)
}
