/** A line of a diff. `number`: of the line before the change where it goes, else after it; absent between two parts. */
export type DiffRow = { sign: ' ' | '+' | '-' | '@'; number?: number; text: string }

/** The rows of a unified diff, with the numbers of their lines. Between two parts of a file stands a row `⋯`. */
export function rowsOf(lines: readonly string[]): DiffRow[] {
  let [old, made] = [0, 0]
  return lines.flatMap((line, at): DiffRow[] => {
    const [, from, to] = /^@@ -(\d+),\d+ \+(\d+),\d+ @@$/.exec(line) ?? []
    if (from !== undefined && to !== undefined) {
      old = Number(from)
      made = Number(to)
      return at === 0 ? [] : [{ sign: '@', text: '⋯' }]
    }
    const text = line.slice(1)
    if (line.startsWith('-')) return [{ sign: '-', number: old++, text }]
    if (line.startsWith('+')) return [{ sign: '+', number: made++, text }]
    old += 1
    return [{ sign: ' ', number: made++, text }]
  })
}
