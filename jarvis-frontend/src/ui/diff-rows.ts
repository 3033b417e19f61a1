/**
 * A line of a diff. `number`: the line's number, before the change for a removed line, otherwise after the change; undefined for the row between two
 * hunks.
 */
export type DiffRow = { sign: ' ' | '+' | '-' | '@'; number?: number; text: string }

/** Returns the rows of a unified diff with their line numbers. A row `⋯` separates two hunks. */
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
