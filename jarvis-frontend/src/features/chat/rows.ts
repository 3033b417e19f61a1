/** A piece of a long list as drawn: a row, or a gap for rows `from` (included) to `to` (excluded). */
export type Piece = { kind: 'row'; key: string; at: number } | { kind: 'gap'; key: string; from: number; to: number }

/** Lists with at most this number of rows are drawn completely. */
export const drawnWhole = 60

/** Returns the pieces of a list: the rows `from` (included) to `to` (excluded), the rows in `pinned` at any position, and gaps between. */
export function piecesOf(
  keys: readonly string[],
  { from, to }: { from: number; to: number },
  pinned: ReadonlySet<string>,
): Piece[] {
  const pieces: Piece[] = []
  let gapFrom: number | undefined
  const close = (at: number) => {
    if (gapFrom !== undefined) pieces.push({ kind: 'gap', key: `gap ${pieces.length}`, from: gapFrom, to: at })
    gapFrom = undefined
  }
  for (const [at, key] of keys.entries()) {
    if ((at >= from && at < to) || pinned.has(key)) {
      close(at)
      pieces.push({ kind: 'row', key, at })
    } else gapFrom ??= at
  }
  close(keys.length)
  return pieces
}

type HeightOf = (key: string) => number

/** The height of rows `from` (included) to `to` (excluded), px. */
export function heightOfRows(keys: readonly string[], from: number, to: number, heightOf: HeightOf): number {
  let px = 0
  for (let at = from; at < to; at++) px += heightOf(keys[at] ?? '')
  return px
}

/**
 * Returns the rows that cover the range from `abovePx` to `belowPx` if the top of row `at` is at `topPx`. Counts only from that row, so wrong
 * estimates of heights far away have no effect.
 */
export function rowsAround(
  keys: readonly string[],
  { at, topPx }: { at: number; topPx: number },
  { abovePx, belowPx }: { abovePx: number; belowPx: number },
  heightOf: HeightOf,
): { from: number; to: number } {
  let from = at
  let px = topPx
  while (from > 0 && px > abovePx) px -= heightOf(keys[--from] ?? '')
  let to = at
  px = topPx
  while (to < keys.length && px < belowPx) px += heightOf(keys[to++] ?? '')
  return { from, to: Math.max(to, Math.min(at + 1, keys.length)) }
}

/**
 * Returns the row at `ratio` (0 to 1) of the total height of rows `from` (included) to `to` (excluded), and the distance of that point below the
 * row's top, px.
 */
export function rowAt(
  keys: readonly string[],
  { from, to }: { from: number; to: number },
  ratio: number,
  heightOf: HeightOf,
): { at: number; belowPx: number } {
  let left = heightOfRows(keys, from, to, heightOf) * ratio
  let at = from
  while (at < to - 1 && left >= heightOf(keys[at] ?? '')) left -= heightOf(keys[at++] ?? '')
  return { at, belowPx: left }
}
