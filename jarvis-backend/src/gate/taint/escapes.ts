/** Escapes that stand for another character: `\n` of JSON, `\x0a` of a shell, `\012` of C, `%0A` of an address. */
const escapes = /\\u([\da-f]{4})|\\x([\da-f]{2})|\\([0-7]{3})|%([\da-f]{2})|\\[bfnrtv]/gi

/**
 * Returns a text followed by the same text with its escapes decoded, as a model reads them; without escapes, the text alone. Both forms are needed:
 * `\nsmbd` has the letters of nsmbd, and a path has backslashes too.
 */
export function withEscapesRead(text: string): string {
  const read = text.replace(escapes, (...[whole, utf16, hex, octal, percent]: (string | undefined)[]) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
    const code = utf16 ?? hex ?? percent
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
    return /[nr]$/i.test(whole ?? '') ? '\n' : ' '
  })
  return read === text ? text : `${text}\n${read}`
}
