/** Windows at the end of what streams, characters, and the longest unit that fills one by repetition alone. */
const windows = [
  { length: 4_096, unit: 256 },
  { length: 16_384, unit: 2_048 },
] as const
const longestWindow = windows[1].length
/** How many new characters are let come between two looks. A look costs time in proportion to the windows. */
const lookEvery = 1_024
/** More characters than a token has in any language, on the average of a long text. */
const mostCharsPerToken = 8
/** No limit of tokens is taken for less: a short one is held by the server. */
const leastLimit = 32_768

/** Why a stream has no end in sight. */
export type Endless = 'repeats' | 'too long'

/**
 * Watches one kind of what a model streams for an end that does not come: the same unit again and again, or more than it was asked for. Keeps
 * 16,384 characters at most.
 * @param mostTokens the longest answer that was asked for
 * @returns takes each piece; undefined as long as all is well
 */
export function createEndlessWatch(mostTokens: number): (delta: string) => Endless | undefined {
  const most = Math.max(leastLimit, mostTokens * mostCharsPerToken)
  let tail = ''
  let fresh: string[] = []
  let freshLength = 0
  let length = 0
  return (delta) => {
    length += delta.length
    if (length > most) return 'too long'
    fresh.push(delta)
    freshLength += delta.length
    if (freshLength < lookEvery) return undefined
    tail = (tail + fresh.join('')).slice(-longestWindow)
    fresh = []
    freshLength = 0
    return unitOf(tail) === undefined ? undefined : 'repeats'
  }
}

/** The length of what the end of a text repeats; undefined where it repeats nothing, or not long enough. */
function unitOf(text: string): number | undefined {
  for (const { length, unit } of windows) {
    if (text.length < length) return undefined
    const found = periodOf(text.slice(-length))
    if (found <= unit) return found
  }
  return undefined
}

/** The least distance at which a text repeats itself, by the prefix function of Knuth, Morris and Pratt: its length where it does not. */
function periodOf(text: string): number {
  const borders = new Uint32Array(text.length)
  for (let at = 1, border = 0; at < text.length; at += 1) {
    while (border > 0 && text[at] !== text[border]) border = borders[border - 1] ?? 0
    if (text[at] === text[border]) border += 1
    borders[at] = border
  }
  return text.length - (borders.at(-1) ?? 0)
}

/** A text up to the first round of what its end repeats; the text itself where it repeats nothing. */
export function firstRound(text: string): string {
  const unit = unitOf(text)
  if (unit === undefined) return text
  let at = text.length - unit - 1
  while (at >= 0 && text[at] === text[at + unit]) at -= 1
  return text.slice(0, at + 1 + unit)
}
