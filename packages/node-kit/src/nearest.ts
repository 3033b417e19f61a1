/** The edit distance of two words: insert, delete or replace a letter, or swap two neighbours (optimal string alignment). */
export function editsBetween(one: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const change = one[i - 1] === other[j - 1] ? 0 : 1
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const swap = isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + change, swap))
    }
    before = last
    last = row
  }
  return last[other.length] ?? 0
}

/** The known name that was probably meant: at most a third of the letters differ. Undefined if no name is that close. */
export function nearestName(word: string, known: Iterable<string>): string | undefined {
  const asked = word.toLowerCase().slice(0, 60)
  const most = Math.max(1, Math.ceil(asked.length / 3))
  return [...known]
    .map((name) => ({ name, edits: editsBetween(asked, name.toLowerCase().slice(0, 60)) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((a, b) => a.edits - b.edits)[0]?.name
}
