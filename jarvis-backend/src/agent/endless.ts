/**
 * Parts of the stream that are searched for repetition, counted back from its end. `unit`: the longest repeated unit that is found in this part.
 * Both in characters.
 */
const windows = [
  { length: 4_096, unit: 256 },
  { length: 16_384, unit: 2_048 },
] as const
const longestWindow = windows[1].length
/** New characters between two searches. The time of one search is proportional to the windows’ length. */
const lookEvery = 1_024
/** An upper bound for the characters per token of a long text, in any language. */
const mostCharsPerToken = 8
/** The lowest limit, characters. Servers enforce shorter limits themselves. */
const leastLimit = 32_768

/** Takes the next delta of a stream. @returns the reason to end the stream; undefined if it may continue */
export type EndlessWatch = (delta: string) => Endless | undefined

/** The reason why a stream is ended. */
export type Endless = 'repeats' | 'too long'

/**
 * Detects a stream of text, thinking or calls that will not end: it repeats one unit again and again, or is far longer than was asked for. Keeps at
 * most 16,384 characters.
 * @param mostTokens maximum tokens of the answer that was asked for
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

/** Returns a text in which the unit that its end repeats stands only once; the text itself if nothing is repeated. */
export function firstRound(text: string): string {
  const unit = unitOf(text)
  if (unit === undefined) return text
  let at = text.length - unit - 1
  while (at >= 0 && text[at] === text[at + unit]) at -= 1
  return text.slice(0, at + 1 + unit)
}
