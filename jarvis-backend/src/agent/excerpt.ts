const shownChars = 160
const leadChars = 40

/** One line of a text around the first of the words that stands in it. */
export function excerpt(text: string, words: readonly string[]): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  const small = flat.toLowerCase()
  const places = words.map((word) => small.indexOf(word.toLowerCase())).filter((at) => at !== -1)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const wanted = Math.max(0, Math.min(first - leadChars, flat.length - shownChars))
  // At a word's beginning, where one is near.
  const space = wanted === 0 ? -1 : flat.indexOf(' ', wanted)
  const from = space !== -1 && space < first ? space + 1 : wanted
  const to = from + shownChars
  return `${from > 0 ? '…' : ''}${flat.slice(from, to).trimEnd()}${to < flat.length ? '…' : ''}`.toWellFormed()
}
