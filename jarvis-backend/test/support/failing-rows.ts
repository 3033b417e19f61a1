/**
 * Judges each row of a table, so that one test lists all rows that fail: `expect(await failingRows(rows, judge)).toEqual([])`.
 * @param judge throws, or rejects, where the row does not hold
 * @param nameOf what a row is called, by default its first cell
 * @param atOnce so many rows are judged at the same time: more than one where a row waits more than it works, and touches no other's things
 */
export async function failingRows<Row>(
  rows: readonly Row[],
  judge: (row: Row) => unknown,
  nameOf: (row: Row) => string = (row) => String(Array.isArray(row) ? row[0] : row),
  atOnce = 1,
): Promise<string[]> {
  const problems = new Map<number, string>()
  const left = [...rows.entries()]
  const one = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [at, row] = next
      try {
        await judge(row)
      } catch (error) {
        problems.set(at, `${nameOf(row)}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  if (rows.length === 0) return ['The table has no rows.']
  return [...problems].sort(([a], [b]) => a - b).map(([, problem]) => problem)
}
