import type { Token, Tokens } from 'marked'
import { tokensOf } from '../../lib/bounded-lexer.ts'

/** Characters that are reserved for the number of a part. */
const numberChars = 16

/** A piece of Markdown that may stand alone. `fence`: the piece is code in that language. */
type Piece = { text: string; fence?: string }

/**
 * Splits Markdown into parts of at most `mostChars` characters: between blocks if possible, otherwise between lines, sentences or words. Code that
 * is cut gets its own fence in each part. A table becomes a code block with aligned columns. Two or more parts are numbered.
 */
export function partsOf(markdown: string, mostChars: number): string[] {
  const room = mostChars - numberChars
  const parts: string[] = []
  let part = ''
  for (const piece of tokensOf(markdown).flatMap((token) => piecesOf(token))) {
    for (const text of fitted(piece, room)) {
      const joined = part === '' ? text : `${part}\n\n${text}`
      if (joined.length <= room) part = joined
      else {
        if (part !== '') parts.push(part)
        part = text
      }
    }
  }
  if (part !== '') parts.push(part)
  return parts.length < 2 ? parts : parts.map((text, at) => `${text}\n\n(${at + 1}/${parts.length})`)
}

function piecesOf(token: Token): Piece[] {
  if (token.type === 'space') return []
  if (token.type === 'code') return [{ text: token.text, fence: plainWord((token as Tokens.Code).lang ?? '') }]
  if (token.type === 'table') return [{ text: columnsOf(token as Tokens.Table), fence: '' }]
  return [{ text: token.raw.trimEnd() }]
}
const plainWord = (lang: string) => /^[\w+#-]{1,30}/.exec(lang)?.[0] ?? ''

/** A table as text: columns of one width, with a line under the head. */
export function columnsOf({ header, rows }: Pick<Tokens.Table, 'header' | 'rows'>): string {
  const lines = [header, ...rows].map((row) => row.map(({ text }) => text.replace(/\s+/g, ' ')))
  const widths = header.map((_, column) => Math.max(...lines.map((line) => [...(line[column] ?? '')].length)))
  const shown = lines.map((line) =>
    widths
      .map((width, column) => (line[column] ?? '') + ' '.repeat(width - [...(line[column] ?? '')].length))
      .join('  ')
      .trimEnd(),
  )
  return [shown[0] ?? '', widths.map((width) => '-'.repeat(width)).join('  '), ...shown.slice(1)].join('\n')
}

function fitted({ text, fence }: Piece, room: number): string[] {
  if (fence === undefined) return text.length <= room ? [text] : cut(text, room)
  const ticks = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
  const fenced = (code: string) => `${ticks}${fence}\n${code}\n${ticks}`
  const within = room - fenced('').length
  return (text.length <= within ? [text] : cut(text, within)).map(fenced)
}

/** Places at which a text can be cut, best first. */
const places = [/(?<=\n)/, /(?<=[.!?…]["”’)]?\s)/, /(?<=\s)/]

/** Cuts a text into pieces of at most `most` characters. @param from the first of `places` to try */
function cut(text: string, most: number, from = 0): string[] {
  const place = places[from]
  if (place === undefined) return hardCut(text, most)
  const pieces: string[] = []
  let piece = ''
  for (const bit of text.split(place)) {
    const joined = piece + bit
    // A run of spaces that is longer than a part is cut too.
    if (joined.trimEnd().length <= most) piece = joined.slice(0, most + 1)
    else {
      if (piece.trim() !== '') pieces.push(piece.trimEnd())
      const small = bit.trimEnd().length <= most ? [bit] : cut(bit, most, from + 1)
      pieces.push(...small.slice(0, -1))
      piece = small.at(-1) ?? ''
    }
  }
  if (piece.trim() !== '') pieces.push(piece.trimEnd())
  return pieces
}

/** Cuts a text between characters, never within a character. */
function hardCut(text: string, most: number): string[] {
  const pieces: string[] = []
  let piece = ''
  for (const char of text) {
    if (piece.length + char.length > most) {
      pieces.push(piece)
      piece = ''
    }
    piece += char
  }
  return piece === '' ? pieces : [...pieces, piece]
}
