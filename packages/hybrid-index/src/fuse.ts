/** Weights of a text's place in each list. Both lists are trusted by rank, because their scores cannot be compared. Their sum is 1. */
export type Weights = { vector: number; keyword: number }
export const defaultWeights: Weights = { vector: 0.7, keyword: 0.3 }

/**
 * The more of what was asked the best text by keywords has, the more keywords count: an address or a name is found by its
 * letters, a paraphrase shares none. @param coverage 0..1: at 0 the weights stand, at 1 keywords alone decide.
 */
export const leaned = ({ vector, keyword }: Weights, coverage: number): Weights => ({
  vector: vector * (1 - coverage),
  keyword: keyword + vector * coverage,
})

export type Fused = {
  ordinal: number
  score: number
  /** From 1; absent where that list does not have it. */
  vectorRank?: number
  keywordRank?: number
}

/** How slowly a lower rank stops counting; 60 is what the method was published with (Cormack, Clarke, Büttcher 2009). */
const k = 60

/** Reciprocal rank fusion of two lists of ordinals, best first. Highest score first. */
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
