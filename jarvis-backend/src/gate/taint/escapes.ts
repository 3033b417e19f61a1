/** `\n` of JSON, `\x0a` of a shell, `\012` of C, `%0A` of an address: what stands for another character. */
const escapes = /\\u([\da-f]{4})|\\x([\da-f]{2})|\\([0-7]{3})|%([\da-f]{2})|\\[bfnrtv]/gi

/**
 * A text with what a model reads of its escapes below it; the text alone where there is none. A word behind an escape would be another one: `\nsmbd`
 * has the letters of nsmbd. Both count, because a path has backslashes too.
 */
export function withEscapesRead(text: string): string {
  const read = text.replace(escapes, (whole, utf16?: string, hex?: string, octal?: string, percent?: string) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
    const code = utf16 ?? hex ?? percent
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
    return /[nr]$/i.test(whole) ? '\n' : ' '
  })
  return read === text ? text : `${text}\n${read}`
}
