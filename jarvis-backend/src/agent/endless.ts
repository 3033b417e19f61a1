/** The windows at the end of the stream that are searched for repetition, and the longest repeated unit in each, characters. */
const windows = [
  { length: 4_096, unit: 256 },
  { length: 16_384, unit: 2_048 },
] as const
const longestWindow = windows[1].length
/** New characters between two looks. The time of a look is proportional to the windows. */
const lookEvery = 1_024
/** An upper bound for the characters per token of a long text, in any language. */
const mostCharsPerToken = 8
/** The least limit, characters: a server holds shorter limits itself. */
const leastLimit = 32_768

/** Takes each piece of a stream. @returns why the stream should end; undefined as long as it may go on */
export type EndlessWatch = (delta: string) => Endless | undefined

/** Why a stream has no end in sight. */
export type Endless = 'repeats' | 'too long'

/**
 * Watches the text, the thinking or the calls of a stream for an end that does not come: a unit that is repeated again and again, or more text than
 * was asked for. Keeps at most 16,384 characters.
 * @param mostTokens the longest answer that was asked for
 */
export function createEndlessWatch(mostTokens: number): EndlessWatch {
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

/** The length of the unit that the end of a text repeats; undefined if it repeats none, or not often enough. */
function unitOf(text: string): number | undefined {
  for (const { length, unit } of windows) {
    if (text.length < length) return undefined
    const found = periodOf(text.slice(-length))
    if (found <= unit) return found
  }
  return undefined
}

/** The period of a text, by the prefix function of Knuth, Morris and Pratt; the text's length if it does not repeat itself. */
function periodOf(text: string): number {
  const borders = new Uint32Array(text.length)
  for (let at = 1, border = 0; at < text.length; at += 1) {
    while (border > 0 && text[at] !== text[border]) border = borders[border - 1] ?? 0
    if (text[at] === text[border]) border += 1
    borders[at] = border
  }
  return text.length - (borders.at(-1) ?? 0)
}

/** A text with the repeated unit at its end kept once; the text itself if it repeats nothing. */
export function firstRound(text: string): string {
  const unit = unitOf(text)
  if (unit === undefined) return text
  let at = text.length - unit - 1
  while (at >= 0 && text[at] === text[at + unit]) at -= 1
  return text.slice(0, at + 1 + unit)
}
