/** What is drawn of a long list: its rows, and gaps as high as what they stand for. */
export type Piece = { kind: 'row'; key: string; at: number } | { kind: 'gap'; key: string; heightPx: number }

/** Lists up to this long are drawn whole. */
export const drawnWhole = 60

/** Rows `from` up to but not with `to`, and those in `pinned`, wherever they are. */
export function piecesOf(
  keys: readonly string[],
  { from, to }: { from: number; to: number },
  pinned: ReadonlySet<string>,
  heightOf: (key: string) => number,
): Piece[] {
  const pieces: Piece[] = []
  let gapPx = 0
  const close = () => {
    if (gapPx > 0) pieces.push({ kind: 'gap', key: `gap ${pieces.length}`, heightPx: gapPx })
    gapPx = 0
  }
  for (const [at, key] of keys.entries()) {
    if ((at >= from && at < to) || pinned.has(key)) {
      close()
      pieces.push({ kind: 'row', key, at })
    } else gapPx += heightOf(key)
  }
  close()
  return pieces
}

/** The rows between two heights, counted from the top of the first. */
export function rowsBetween(
  keys: readonly string[],
  topPx: number,
  bottomPx: number,
  heightOf: (key: string) => number,
): { from: number; to: number } {
  let from = 0
  let px = 0
  while (from < keys.length - 1 && px + heightOf(keys[from] ?? '') <= topPx) px += heightOf(keys[from++] ?? '')
  let to = from
  while (to < keys.length && px < bottomPx) px += heightOf(keys[to++] ?? '')
  return { from, to: Math.max(to, Math.min(from + 1, keys.length)) }
}
