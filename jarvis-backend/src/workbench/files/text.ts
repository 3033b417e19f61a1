/**
 * A file's bytes as text. `lines`: without line endings; if the text ends with a newline, the last line is empty. `ending`: the line ending, `mixed`
 * if lines end in different ways. `hasBom`: the file begins with a byte order mark, which is not part of any line.
 */
export type FileText = { lines: string[]; ending: 'LF' | 'CRLF' | 'CR' | 'mixed'; hasBom: boolean }

/** A file counts as binary if its first bytes, as many as this, hold a zero byte. */
const looked = 8_192
const bom = '\uFEFF'

export const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, looked).includes(0)

/** Reads bytes as text. @returns undefined if the bytes are not UTF-8 text */
export function textOf(bytes: Buffer): FileText | undefined {
  const whole = decoded(bytes)
  if (whole === undefined) return undefined
  const hasBom = whole.startsWith(bom)
  const text = hasBom ? whole.slice(1) : whole
  const ends = new Set(text.match(/\r\n|\r|\n/g) ?? [])
  const [only] = ends
  return {
    lines: text === '' ? [] : text.split(/\r\n|\r|\n/),
    ending: ends.size > 1 ? 'mixed' : only === '\r\n' ? 'CRLF' : only === '\r' ? 'CR' : 'LF',
    hasBom,
  }
}

/** The text of bytes, including a byte order mark; undefined if the bytes are not valid UTF-8 or are binary. */
export function decoded(bytes: Buffer): string | undefined {
  if (isBinary(bytes)) return undefined
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') && !bytes.equals(Buffer.from(text)) ? undefined : text
}
