import { Mistake } from '../../gate/index.ts'
import { decoded } from './text.ts'

/** One replacement. `oldText` must occur in the file exactly once, or at least once with `replaceAll`. Lines end with `\n` in both texts. */
export type Edit = { oldText: string; newText: string; replaceAll?: boolean | undefined }

const bom = '\uFEFF'
/** Maximum number of lines that are shown of the most similar place, if a text was not found. */
const shownLines = 12

/**
 * Returns the bytes after all edits. Each edit is applied to the result of the edits before it. Bytes outside the edits stay unchanged, including
 * line endings and the byte order mark. New lines get the ending of the line that they replace.
 * @throws Mistake if a text does not occur, occurs more than once, or changes nothing; none of the edits is then made
 */
export function edited(bytes: Buffer, edits: readonly Edit[]): Buffer {
  const whole = decoded(bytes)
  if (whole === undefined) throw new Mistake('path: this is no text file, so there is nothing to edit in it.')
  const hasBom = whole.startsWith(bom)
  let text = hasBom ? whole.slice(1) : whole
  for (const [at, edit] of edits.entries()) text = replaced(text, edit, edits.length === 1 ? '' : `edits[${at}]: `)
  return Buffer.from((hasBom ? bom : '') + text)
}

function replaced(text: string, { oldText, newText, replaceAll = false }: Edit, which: string): string {
  const wanted = lf(oldText)
  if (wanted === '') throw new Mistake(`${which}oldText is empty. Use write_file for a new file.`)
  if (wanted === lf(newText)) throw new Mistake(`${which}oldText and newText are the same.`)
  const { plain, places } = unified(text)
  const found: number[] = []
  for (let at = plain.indexOf(wanted); at !== -1; at = plain.indexOf(wanted, at + wanted.length)) found.push(at)
  if (found.length === 0)
    throw new Mistake(`${which}oldText stands nowhere in the file. Nothing was changed. ${nearest(plain, wanted)}`)
  if (found.length > 1 && !replaceAll)
    throw new Mistake(
      `${which}oldText stands ${found.length} times in the file, in the lines ${found
        .slice(0, 10)
        .map((at) => lineAt(plain, at))
        .join(', ')}. Nothing was changed. Take in more lines around it, or set replaceAll.`,
    )
  let out = ''
  let done = 0
  for (const at of found) {
    const [from, to] = [places(at), places(at + wanted.length)]
    out += text.slice(done, from) + withEnding(lf(newText), endingNear(text, from, to))
    done = to
  }
  return out + text.slice(done)
}

const lf = (text: string) => text.replace(/\r\n?/g, '\n')
const withEnding = (text: string, ending: string) => (ending === '\n' ? text : text.replaceAll('\n', ending))
const lineAt = (text: string, at: number) => text.slice(0, at).split('\n').length

/** The text with `\n` as its only line ending. `places` returns the position in the original for a position in this text. */
function unified(text: string): { plain: string; places(at: number): number } {
  if (!text.includes('\r')) return { plain: text, places: (at) => at }
  const map: number[] = []
  let plain = ''
  for (let at = 0; at < text.length; at += 1) {
    map.push(at)
    if (text[at] !== '\r') plain += text[at]
    else {
      plain += '\n'
      if (text[at + 1] === '\n') at += 1
    }
  }
  map.push(text.length)
  return { plain, places: (at) => map[at] ?? text.length }
}

/**
 * The line ending inside a part of the text. If the part has none, the ending of the line after it, otherwise of the line before it, otherwise `\n`.
 */
function endingNear(text: string, from: number, to: number): string {
  const inside = /\r\n|\r|\n/.exec(text.slice(from, to))?.[0]
  if (inside !== undefined) return inside
  const after = /\r\n|\r|\n/.exec(text.slice(to))?.[0]
  return (
    after ??
    text
      .slice(0, from)
      .match(/\r\n|\r|\n/g)
      ?.at(-1) ??
    '\n'
  )
}

/** Describes the lines, with their numbers, that are most similar to a text that was not found. They are only shown, never replaced. */
function nearest(plain: string, wanted: string): string {
  const lines = plain.split('\n')
  const asked = wanted
    .split('\n')
    .map(loosely)
    .filter((line) => line !== '')
  let best = { at: -1, score: 0 }
  for (const [at] of lines.entries()) {
    let score = 0
    for (const [offset, line] of asked.entries()) if (loosely(lines[at + offset] ?? '') === line) score += line.length
    if (score > best.score) best = { at, score }
  }
  if (best.at === -1) {
    const [words] = asked
    const start = words?.slice(0, 12) ?? ''
    const at = start === '' ? -1 : lines.findIndex((line) => loosely(line).includes(start))
    if (at === -1) return 'No line comes near it: read the file again.'
    best = { at, score: 1 }
  }
  const shown = lines.slice(best.at, best.at + Math.min(shownLines, wanted.split('\n').length + 1))
  return `The nearest lines are:\n${shown.map((line, at) => `${best.at + at + 1} ${line}`).join('\n')}`
}

/** A line for a loose comparison: case, quotes, dashes and white space make no difference. */
const loosely = (line: string) =>
  line
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u201c\u201d"'`]/g, "'")
    .replace(/[\u2010-\u2015]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
