/**
 * Judges each row of a table, so that one test lists all rows that fail: `expect(await failingRows(rows, judge)).toEqual([])`.
 * @param judge throws, or rejects, where the row does not hold; rows are judged one after another
 * @param nameOf what a row is called, by default its first cell
 */
export async function failingRows<Row>(
  rows: readonly Row[],
  judge: (row: Row) => unknown,
  nameOf: (row: Row) => string = (row) => String(Array.isArray(row) ? row[0] : row),
): Promise<string[]> {
  const failing: string[] = []
  for (const row of rows) {
    try {
      await judge(row)
    } catch (error) {
      failing.push(`${nameOf(row)}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (rows.length === 0) failing.push('The table has no rows.')
  return failing
}
