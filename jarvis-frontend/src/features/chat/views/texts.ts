/** Terminal escape sequences, which have no meaning in plain text. The server may have replaced the escape character by a code. */
const moves = new RegExp(`(?:⟨U\\+001B⟩|${String.fromCharCode(27)})\\[[\\d;:?]{0,30}[A-Za-z]`, 'g')

/** Returns the lines that a command printed. A line that the program redrew appears several times. */
export function linesOf(text: string): string[] {
  const lines = text.replace(moves, '').replaceAll('\r\n', '\n').replace(/\r/g, '\n').split('\n')
  while (lines.length > 0 && lines.at(-1)?.trim() === '') lines.pop()
  return lines
}

/** Returns the output in a result, which follows the line `output:`; undefined if the result has none. */
export function outputIn(result: string): string | undefined {
  const at = `\n${result}`.indexOf('\noutput:\n')
  return at < 0 ? undefined : result.slice(at + 'output:\n'.length)
}

export type Folded = { head: string[]; left: number; tail: string[] }

/** Returns the first and the last lines, and the number of lines left out between them. At least two lines are left out, never one. */
export function folded(lines: readonly string[], head: number, tail: number): Folded {
  if (lines.length <= head + tail + 1) return { head: [...lines], left: 0, tail: [] }
  return {
    head: lines.slice(0, head),
    left: lines.length - head - tail,
    tail: tail === 0 ? [] : lines.slice(-tail),
  }
}

/** Returns a web URL that a person may open, and its host as the browser reads it; undefined for any other text. */
export function webAddress(text: string): { href: string; host: string } | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, host, href } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === '' && host !== '' ? { href, host } : undefined
}

/** Removes the scheme from a URL, for a place that shows the scheme itself: `example.org/a`. */
export const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '')

/** A size in the same form as in the tool's text: `41 kB`. */
export const sized = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${Math.round(bytes / 1_000)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`
