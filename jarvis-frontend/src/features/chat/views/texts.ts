/** Escape sequences of a terminal, which mean nothing in a text. The server may have replaced the escape character by a code. */
const moves = new RegExp(`(?:⟨U\\+001B⟩|${String.fromCharCode(27)})\\[[\\d;:?]{0,30}[A-Za-z]`, 'g')

/** The lines that a command printed. A line that the program drew several times appears several times. */
export function linesOf(text: string): string[] {
  const lines = text.replace(moves, '').replaceAll('\r\n', '\n').replace(/\r/g, '\n').split('\n')
  while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop()
  return lines
}

/** The output in a result, which follows the line `output:`; undefined where the result has none. */
export function outputIn(result: string): string | undefined {
  const at = `\n${result}`.indexOf('\noutput:\n')
  return at < 0 ? undefined : result.slice(at + 'output:\n'.length)
}

export type Folded = { head: string[]; left: number; tail: string[] }

/** The first and the last lines, and how many stand between them. One line is never left out alone. */
export function folded(lines: readonly string[], head: number, tail: number): Folded {
  if (lines.length <= head + tail + 1) return { head: [...lines], left: 0, tail: [] }
  return {
    head: lines.slice(0, head),
    left: lines.length - head - tail,
    tail: tail === 0 ? [] : lines.slice(-tail),
  }
}

/** A web address that a person may follow, with its host as the browser reads it; undefined for any other text. */
export function webAddress(text: string): { href: string; host: string } | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, host, href } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === '' && host !== '' ? { href, host } : undefined
}

/** `example.org/a`, for a place that shows the scheme by itself. */
export const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '')

/** `41 kB`, written as in the tool's own line. */
export const sized = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${Math.round(bytes / 1_000)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`
