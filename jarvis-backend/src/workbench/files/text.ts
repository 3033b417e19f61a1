/**
 * A file's bytes as text. `lines`: without their ends; a text that ends with a newline ends with an empty line. `ending`: what ends its lines,
 * `mixed` if not all end alike. `hasBom`: it begins with a byte order mark, which no line holds.
 */
export type FileText = { lines: string[]; ending: 'LF' | 'CRLF' | 'CR' | 'mixed'; hasBom: boolean }

/** Bytes are looked at for a zero byte in this many. */
const looked = 8_192
const bom = '\uFEFF'

export const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, looked).includes(0)

/** @returns undefined for bytes that are no UTF-8 text */
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

/** The text of bytes, with a byte order mark if there is one; undefined if they are no clean UTF-8. */
export function decoded(bytes: Buffer): string | undefined {
  if (isBinary(bytes)) return undefined
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') && !bytes.equals(Buffer.from(text)) ? undefined : text
}
