export type DiffLine = { kind: 'same' | 'theirs' | 'mine'; text: string }

/** Texts with more lines than this are not compared line by line. */
const mostLines = 2_000

/** Merges both texts into one list. Lines in both texts appear once; lines in only one text are marked. */
export function lineDiff(theirs: string, mine: string): DiffLine[] {
  const [a, b] = [theirs.split('\n'), mine.split('\n')]
  if (a.length > mostLines || b.length > mostLines) {
    return [
      ...a.map((text): DiffLine => ({ kind: 'theirs', text })),
      ...b.map((text): DiffLine => ({ kind: 'mine', text })),
    ]
  }
  // Longest common subsequence, from the end.
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  const at = (i: number, j: number) => longest[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = longest[i]
    if (row === undefined) continue
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] ?? '' })
      i += 1
      j += 1
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'theirs', text: a[i] ?? '' })
      i += 1
    } else {
      lines.push({ kind: 'mine', text: b[j] ?? '' })
      j += 1
    }
  }
  return lines
}
