const shownChars = 160
const leadChars = 40

/** Returns one line of a text, around the position `at`. */
export function excerpt(text: string, at: number): string {
  const place = text.slice(0, at).replace(/\s+/g, ' ').trimStart().length
  const flat = text.replace(/\s+/g, ' ').trim()
  const wanted = Math.max(0, Math.min(place - leadChars, flat.length - shownChars))
  // Begins the excerpt at the start of a word, if one begins before the position.
  const space = wanted === 0 ? -1 : flat.indexOf(' ', wanted)
  const from = space !== -1 && space < place ? space + 1 : wanted
  const to = from + shownChars
  return `${from > 0 ? '…' : ''}${flat.slice(from, to).trimEnd()}${to < flat.length ? '…' : ''}`.toWellFormed()
}
