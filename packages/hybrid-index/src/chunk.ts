export type Piece = {
  text: string
  /** First line, from 1, and last line, both included. */
  firstLine: number
  lastLine: number
  /** The headings above the piece, outermost first: `Storage > ZFS`; empty if there is none. */
  heading: string
}

/** Characters in a token: about four in English. */
const charsPerToken = 4
const chunkTokens = 400
const overlapTokens = 80
const mostChars = chunkTokens * charsPerToken
const overlapChars = overlapTokens * charsPerToken

type Line = { text: string; number: number }

/**
 * Splits a text into pieces of about 400 tokens: first at headings, then at paragraphs, then at lines. A further piece of the same section repeats
 * about 80 tokens of the previous one. A line longer than a piece is split anywhere. Yields while it reads, so that a large file needs no more
 * memory than the file itself.
 */
export function* chunkText(text: string): Generator<Piece> {
  const headings: string[] = []
  let section: Line[] = []
  let length = 0
  let overlap = 0
  let fence = false

  const heading = () => headings.filter((each) => each !== undefined).join(' > ')
  function* flush(isEnd: boolean): Generator<Piece> {
    // Skip a piece that would only repeat the end of the previous one.
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
    // The end of a paragraph is a better place to split than the middle of the next one.
    const isFull = length + line.text.length > mostChars
    const isGoodPlace = line.text.trim() === '' && length > mostChars * 0.75
    if (section.length > overlap && (isFull || isGoodPlace)) yield* flush(false)
    section.push(line)
    length += line.text.length + 1
  }
  yield* flush(true)
}

/** Yields lines with their numbers. A line that is longer than a piece is yielded in several parts with the same number. */
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
