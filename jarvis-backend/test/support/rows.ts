import { expect } from 'vitest'

/** Checks each row of a table in one test, and fails with the list of all rows that fail. @param check throws if its row is wrong */
export function checkRows<T>(rows: readonly T[], nameOf: (row: T) => string, check: (row: T) => void): void {
  expect(rows.length).toBeGreaterThan(0)
  const failing = rows.flatMap((row) => {
    try {
      check(row)
      return []
    } catch (error) {
      return [`${nameOf(row)}: ${error instanceof Error ? error.message : String(error)}`]
    }
  })
  expect(failing).toEqual([])
}
