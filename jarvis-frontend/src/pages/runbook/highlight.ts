/** A piece of a line with its look: keys and headings are bold, comments and fences dimmed. */
export type Piece = { text: string; kind: 'plain' | 'key' | 'dim' }

const piece = (text: string, kind: Piece['kind']): Piece[] => (text === '' ? [] : [{ text, kind }])

/** Cuts a line of a runbook into pieces. The joined pieces are the line. */
export function piecesOf(line: string): Piece[] {
  if (/^---\s*$/.test(line)) return piece(line, 'dim')
  if (/^##? /.test(line)) return piece(line, 'key')
  const [, indent = '', key = '', rest] = /^(\s*)([A-Za-z_][\w-]*:)(?=\s|$)(.*)$/.exec(line) ?? []
  if (rest === undefined) return piece(line, 'plain')
  // A comment begins after a space, because a value may contain a #.
  const comment = rest.search(/\s#(?=\s)/)
  const at = comment < 0 ? rest.length : comment
  return [
    ...piece(indent, 'plain'),
    ...piece(key, 'key'),
    ...piece(rest.slice(0, at), 'plain'),
    ...piece(rest.slice(at), 'dim'),
  ]
}

/** Replaces a word of the text. @param column from 1; undefined: the first occurrence in the line is replaced */
export function replaced(text: string, { line, column, wrong, by }: Replace): string {
  const lines = text.split('\n')
  const old = lines[line - 1] ?? ''
  const at = column !== undefined && old.startsWith(wrong, column - 1) ? column - 1 : old.indexOf(wrong)
  if (wrong === '' || at < 0) return text
  lines[line - 1] = old.slice(0, at) + by + old.slice(at + wrong.length)
  return lines.join('\n')
}
type Replace = { line: number; column: number | undefined; wrong: string; by: string }

/** Returns the word of a line that is most similar to the suggested name. The fault most likely means this word. */
export function wrongWord(line: string, nearest: string): string {
  const words = line.match(/[A-Za-z_][\w-]*/g) ?? []
  const [best] = words
    .filter((word) => word !== nearest)
    .map((word) => ({ word, far: distance(word, nearest) }))
    .sort((a, b) => a.far - b.far)
  return best !== undefined && best.far <= Math.max(3, nearest.length / 2) ? best.word : ''
}

/** The edit distance of two words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
