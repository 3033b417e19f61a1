/**
 * The shortest term that may match as a prefix, characters. A shorter term must match a whole word, because a short prefix matches nearly every
 * word.
 */
const shortestPrefix = 3
const mostTerms = 8

/** A search term. `isPrefix`: also matches words that begin with it. */
export type Term = { text: string; isPrefix: boolean }

/** Splits a search text into terms: its words, and each text in quotes as one term. Terms without a letter or digit are left out. */
export const searchTerms = (words: string): Term[] =>
  // SQLite would cut the query at a NUL character.
  [...words.replaceAll('\0', ' ').matchAll(/"([^"]*)"?|[^\s"]+/g)]
    .map(([whole, quoted]) => ({
      text: quoted ?? whole,
      isPrefix: quoted === undefined && [...whole].length >= shortestPrefix,
    }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text))
    .slice(0, mostTerms)

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '')

/** Creates a pattern that finds a term in the same way as the index: its words with any signs between them, ignoring case and accents. */
function finderOf({ text, isPrefix }: Term): RegExp {
  const tokens = plain(text).match(/[\p{L}\p{N}]+/gu) ?? []
  return new RegExp(
    `(?<![\\p{L}\\p{N}])${tokens.join('[^\\p{L}\\p{N}]+')}${isPrefix ? '' : '(?![\\p{L}\\p{N}])'}`,
    'iu',
  )
}

/** Returns the newest of the texts that contain the most terms, and the position of the first term in it. */
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
