/** A part of a text. `from`, `next`: positions in characters. `next`: undefined at the end of the text. */
export type Part = { text: string; from: number; next: number | undefined }

/** The part of `text` that begins at `from` and has at most `mostBytes` bytes. It ends at the end of a line if there is one near the limit. */
export function partOf(text: string, from: number, mostBytes: number): Part {
  let end = Math.min(text.length, from + mostBytes)
  while (Buffer.byteLength(text.slice(from, end)) > mostBytes) {
    const over = Buffer.byteLength(text.slice(from, end)) - mostBytes
    end -= Math.max(1, Math.ceil(over / 4))
  }
  if (end < text.length) {
    const line = text.lastIndexOf('\n', end - 1) + 1
    if (line > from + (end - from) * 0.8) end = line
    // Avoids cutting a surrogate pair.
    else if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end -= 1
  }
  return { text: text.slice(from, end), from, next: end < text.length ? end : undefined }
}
