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

/** The rows of a list with their heights, px. A range of rows is `from` (included) to `to` (excluded). */
export class Rows {
  readonly keys: readonly string[]
  readonly #heightOf: (key: string) => number

  constructor(keys: readonly string[], heightOf: (key: string) => number) {
    this.keys = keys
    this.#heightOf = heightOf
  }

  #heightAt(at: number): number {
    return this.#heightOf(this.keys[at] ?? '')
  }

  /** The total height of a range. */
  heightPx({ from, to }: { from: number; to: number }): number {
    let px = 0
    for (let at = from; at < to; at++) px += this.#heightAt(at)
    return px
  }

  /**
   * Returns the rows that cover the range from `abovePx` to `belowPx` if the top of row `at` is at `topPx`. Counts only from that row, so wrong
   * estimates of heights far away have no effect.
   */
  around(
    { at, topPx }: { at: number; topPx: number },
    { abovePx, belowPx }: { abovePx: number; belowPx: number },
  ): { from: number; to: number } {
    let from = at
    let px = topPx
    while (from > 0 && px > abovePx) px -= this.#heightAt(--from)
    let to = at
    px = topPx
    while (to < this.keys.length && px < belowPx) px += this.#heightAt(to++)
    return { from, to: Math.max(to, Math.min(at + 1, this.keys.length)) }
  }

  /** Returns the row at `ratio` (0 to 1) of the total height of a range, and the distance of that point below the row's top. */
  rowAt(range: { from: number; to: number }, ratio: number): { at: number; belowPx: number } {
    let belowPx = this.heightPx(range) * ratio
    let at = range.from
    while (at < range.to - 1 && belowPx >= this.#heightAt(at)) belowPx -= this.#heightAt(at++)
    return { at, belowPx }
  }
}
