export type Piece = {
  text: string
  /** From 1, both inclusive. */
  firstLine: number
  lastLine: number
  /** The headings it stands under, outermost first: `Storage > ZFS`; empty where there is none. */
  heading: string
}

/** About four characters of English are a token. */
const charsPerToken = 4
const chunkTokens = 400
const overlapTokens = 80
const mostChars = chunkTokens * charsPerToken
const overlapChars = overlapTokens * charsPerToken

type Line = { text: string; number: number }

/**
 * Cuts a text into pieces of about 400 tokens, at headings first, then at paragraphs, then at lines; what follows in the
 * same section repeats about 80 tokens of what came before. A line longer than a piece is cut where it is. Yields as it
 * goes, so that a large file never needs more memory than itself.
 */
export function* chunkText(text: string): Generator<Piece> {
  const headings: string[] = []
  let section: Line[] = []
  let length = 0
  let overlap = 0
  let fence = false

  const heading = () => headings.filter((each) => each !== undefined).join(' > ')
  function* flush(isEnd: boolean): Generator<Piece> {
    // Nothing but what the piece before had already.
    if (section.length > overlap && section.some(({ text }) => text.trim() !== '')) {
      const first = section[0] as Line
      const last = section.at(-1) as Line
      yield {
        text: section
          .map(({ text }) => text)
          .join('\n')
          .trim(),
        firstLine: first.number,
        lastLine: last.number,
        heading: heading(),
      }
    }
    const kept: Line[] = []
    let keptLength = 0
    for (let at = section.length - 1; !isEnd && at > 0; at -= 1) {
      const line = section[at] as Line
      if (keptLength + line.text.length > overlapChars) break
      kept.unshift(line)
      keptLength += line.text.length + 1
    }
    section = kept
    length = keptLength
    overlap = kept.length
  }

  for (const line of linesOf(text)) {
    if (/^\s*(?:```|~~~)/.test(line.text)) fence = !fence
    const [, signs, said = ''] = fence ? [] : (/^(#{1,6})\s+(\S.*)$/s.exec(line.text) ?? [])
    if (signs !== undefined) {
      const title = said.replace(/(?<!#)#+$/, '').trimEnd() || said
      yield* flush(true)
      headings.length = signs.length - 1
      headings[signs.length - 1] = title.slice(0, 200)
    }
    // A paragraph's end is a better place to cut than the middle of the next one.
    const isFull = length + line.text.length > mostChars
    const isGoodPlace = line.text.trim() === '' && length > mostChars * 0.75
    if (section.length > overlap && (isFull || isGoodPlace)) yield* flush(false)
    section.push(line)
    length += line.text.length + 1
  }
  yield* flush(true)
}

/** Lines with their numbers; one that is longer than a piece comes in several parts with the same number. */
function* linesOf(text: string): Generator<Line> {
  let number = 0
  for (let at = 0; at <= text.length; ) {
    const end = text.indexOf('\n', at)
    const line = text.slice(at, end === -1 ? text.length : end).replace(/\r$/, '')
    number += 1
    if (line.length <= mostChars) yield { text: line, number }
    else {
      for (let part = 0; part < line.length; part += mostChars - overlapChars) {
        yield { text: line.slice(part, part + mostChars - overlapChars), number }
      }
    }
    if (end === -1) return
    at = end + 1
  }
}
