/** Shorter words must match whole, because a short prefix matches nearly everything. */
const shortestPrefix = 3
const mostTerms = 8

/** A search term. `isPrefix`: also matches words that begin with it. */
export type Term = { text: string; isPrefix: boolean }

/** The terms in a search text: its words, and texts in quotes as whole terms. Terms without a letter or digit are left out. */
export const searchTerms = (words: string): Term[] =>
  // SQLite ends a query at a NUL.
  [...words.replaceAll('\0', ' ').matchAll(/"([^"]*)"?|[^\s"]+/g)]
    .map(([whole, quoted]) => ({
      text: quoted ?? whole,
      isPrefix: quoted === undefined && [...whole].length >= shortestPrefix,
    }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text))
    .slice(0, mostTerms)

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '')

/** Finds a term as the index does: its words with any signs between them, without regard to case and accents. */
function finderOf({ text, isPrefix }: Term): RegExp {
  const tokens = plain(text).match(/[\p{L}\p{N}]+/gu) ?? []
  return new RegExp(
    `(?<![\\p{L}\\p{N}])${tokens.join('[^\\p{L}\\p{N}]+')}${isPrefix ? '' : '(?![\\p{L}\\p{N}])'}`,
    'iu',
  )
}

/** The newest of the texts with the most terms, and the place of the first term in it. */
export function placeOfTerms<T extends { text: string }>(
  texts: readonly T[],
  terms: readonly Term[],
): { found: T; at: number } | undefined {
  const finders = terms.map(finderOf)
  let best: { found: T; at: number; count: number } | undefined
  for (const found of texts) {
    const searched = plain(found.text)
    const places = finders.map((finder) => searched.search(finder)).filter((at) => at !== -1)
    if (places.length > 0 && places.length >= (best?.count ?? 0)) {
      best = { found, at: Math.min(...places), count: places.length }
    }
  }
  return best
}
