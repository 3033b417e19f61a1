import type { FileDiff } from 'protocol'

/**
 * A file of a card as far as it is shown: the lines that came with the card, and `more` of the whole file.
 * @param whole undefined while only the card's lines are there
 */
export function shownOf(file: FileDiff, whole: FileDiff | undefined, more: number): FileDiff {
  if (whole === undefined || more === 0) return file
  const lines = whole.lines.slice(0, file.lines.length + more)
  return { ...file, lines, left: whole.left + whole.lines.length - lines.length }
}

/** The file that `by` leads to; the first and the last are ends. */
export const stepped = (at: number, by: 1 | -1, count: number): number => Math.max(0, Math.min(count - 1, at + by))

/**
 * Changed lines that were not shown yet, and all lines of files that a command names.
 * @param seen files that were in front; undefined where all are
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

/** Why a card cannot be approved yet; undefined where every line that counts was shown. */
export const linesHeld = (lines: number): string | undefined =>
  lines === 0 ? undefined : `${lines} ${lines === 1 ? 'line' : 'lines'} not seen yet`
