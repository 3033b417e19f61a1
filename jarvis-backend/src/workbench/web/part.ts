/** A piece of a text: `from` and `next` are places in characters; `next` is undefined at the end. */
export type Part = { text: string; from: number; next: number | undefined }

/** The piece of `text` that begins at `from` and has at most so many bytes. It ends with a line where one ends near the limit. */
export function partOf(text: string, from: number, mostBytes: number): Part {
  let end = Math.min(text.length, from + mostBytes)
  while (Buffer.byteLength(text.slice(from, end)) > mostBytes) {
    const over = Buffer.byteLength(text.slice(from, end)) - mostBytes
    end -= Math.max(1, Math.ceil(over / 4))
  }
  if (end < text.length) {
    const line = text.lastIndexOf('\n', end - 1) + 1
    if (line > from + (end - from) * 0.8) end = line
    // No half of a character of two units.
    else if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end -= 1
  }
  return { text: text.slice(from, end), from, next: end < text.length ? end : undefined }
}
