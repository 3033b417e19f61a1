import type { FileDiff } from 'protocol'

/**
 * Returns a file with the lines that are shown: the lines that came with the card, and `more` lines of the whole file.
 * @param whole undefined: only the card's lines are loaded
 */
export function shownOf(file: FileDiff, whole: FileDiff | undefined, more: number): FileDiff {
  if (whole === undefined || more === 0) return file
  const lines = whole.lines.slice(0, file.lines.length + more)
  return { ...file, lines, left: whole.left + whole.lines.length - lines.length }
}

/** Returns the index of the next or previous file; stops at the first and the last. */
export const stepped = (at: number, by: 1 | -1, count: number): number => Math.max(0, Math.min(count - 1, at + by))

/**
 * Counts lines that were not shown yet: changed lines, and all lines of a file that a command names.
 * @param seen indexes of files that were shown; undefined: all files
 */
export const unseenLines = (files: readonly FileDiff[], seen?: ReadonlySet<number>): number =>
  files.reduce((sum, file, at) => {
    const isNamed = file.change === 'named'
    const all = isNamed ? file.lines.length + file.left : file.added + file.removed
    if (seen !== undefined && !seen.has(at)) return sum + all
    const shown = isNamed
      ? file.lines.length
      : file.lines.filter((line) => line.startsWith('+') || line.startsWith('-')).length
    return sum + (file.left === 0 ? 0 : Math.max(0, all - shown))
  }, 0)

/** Returns why a card cannot be approved yet; undefined if all relevant lines were shown. */
export const linesHeld = (lines: number): string | undefined =>
  lines === 0 ? undefined : `${lines} ${lines === 1 ? 'line' : 'lines'} not seen yet`
