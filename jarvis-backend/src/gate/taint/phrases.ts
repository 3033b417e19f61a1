import { withoutCodes } from 'redaction/visible'

/** Letters of other scripts that look like Latin letters. Each stands above the Latin letter that it looks like. */
const alike = 'аеорсухіѕјһԁԛԝοανρτικε'
const latin = 'aeopcyxisjhdqwoavptike'
const lookalikes = new Map([...alike].map((letter, index) => [letter, latin[index] ?? letter]))
const lookalike = new RegExp(`[${alike}]`, 'gu')

/** Converts characters that look like letters and digits to lower-case ASCII. Removes invisible characters; other signs become spaces. */
const plain = (text: string) =>
  withoutCodes(text)
    .normalize('NFKD')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/gu, '')
    .toLowerCase()
    .replace(lookalike, (letter) => lookalikes.get(letter) ?? letter)
    .replace(/[^\p{L}\p{N}\p{ASCII}]/gu, ' ')

/** The runs of letters and digits in a text, each as a hash. Quotes, case and spacing are ignored. */
export type Runs = ArrayLike<number>

/** Splits a text into runs, in linear time. Quotes and backslashes do not end a run, because a shell removes them too. */
export function runsOf(text: string): Runs {
  const from = /\P{ASCII}/u.test(text) ? plain(text) : text
  const runs = new Uint32Array((from.length + 1) >> 1)
  let count = 0
  let hash = 0
  for (let at = 0; at <= from.length; at += 1) {
    // `charCodeAt` returns NaN at the end of the text.
    let code = from.charCodeAt(at)
    if (code >= 65 && code <= 90) code += 32
    if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code > 127) {
      hash = Math.imul((hash === 0 ? 2166136261 : hash) ^ code, 16777619)
    } else if (hash !== 0 && code !== 34 && code !== 39 && code !== 92 && code !== 96) {
      runs[count] = hash
      count += 1
      hash = 0
    }
  }
  return runs.subarray(0, count)
}

/** Longest sequence of runs that is compared. Of a longer phrase only this beginning is compared. */
const longest = 8

/**
 * Makes a function that searches for many phrases at once, in time linear in the text. @returns a function that returns the phrases that occur, in
 * the given order
 */
export function createFinder<Phrase extends { runs: Runs }>(
  phrases: readonly Phrase[],
): (text: Runs) => readonly Phrase[] {
  const starts = new Set<number>()
  /** The positions of the phrases in the given order, by number of runs and then by the key of the runs. */
  const byLength = new Map<number, Map<number, number[]>>()
  for (const [place, { runs }] of phrases.entries()) {
    const length = Math.min(runs.length, longest)
    if (length === 0) continue
    starts.add(runs[0] ?? 0)
    const known = byLength.get(length) ?? new Map<number, number[]>()
    byLength.set(length, known)
    const key = keyOf(runs, 0, length)
    const places = known.get(key)
    if (places === undefined) known.set(key, [place])
    else places.push(place)
  }
  return (text) => {
    const found = new Set<number[]>()
    for (let at = 0; at < text.length; at += 1) {
      if (!starts.has(text[at] ?? 0)) continue
      for (const [length, known] of byLength) {
        const places = at + length <= text.length ? known.get(keyOf(text, at, length)) : undefined
        if (places !== undefined) found.add(places)
      }
    }
    const places = new Set([...found].flat())
    return phrases.filter((_, place) => places.has(place))
  }
}

/** A prime below 2^47 keeps the arithmetic exact in doubles. */
const modulus = 140737488355213

function keyOf(runs: Runs, from: number, length: number): number {
  let key = 0
  for (let at = from; at < from + length; at += 1) key = (key * 31 + (runs[at] ?? 0)) % modulus
  return key
}
