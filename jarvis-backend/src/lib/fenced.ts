/**
 * Puts foreign text between two fences of backticks that are longer than any run of backticks in the text. `what`: the language after the first
 * fence.
 */
export function fenced(text: string, what = ''): string {
  const runs: readonly string[] = text.match(/`{3,}/g) ?? []
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)))
  return `${fence}${what}\n${text}\n${fence}`
}
