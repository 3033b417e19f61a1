/** Splits text into parts of at most `most` (more than 1) UTF-16 units. No part ends inside a surrogate pair. */
export function packets(text: string, most: number): string[] {
  const parts: string[] = []
  for (let from = 0; from < text.length; ) {
    const end = from + most
    const isCut = end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))
    const to = isCut ? end - 1 : end
    parts.push(text.slice(from, to))
    from = to
  }
  return parts
}
