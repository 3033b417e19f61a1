const atLeast = Number(process.env.JARVIS_PROPERTY_RUNS ?? 0)

/** True under `npm run test:night`, which plays tables whole that the day plays in part. */
export const isNight = atLeast > 0

/**
 * Parameters for `fc.assert`: the number of runs of a property.
 * @param byDay runs of `npm test` @returns at night, which sets `JARVIS_PROPERTY_RUNS`, at least that many and ten times the day's
 */
export const runs = (byDay: number): { numRuns: number } => ({
  numRuns: atLeast === 0 ? byDay : Math.max(atLeast, byDay * 10),
})

/** The time limit of a test of a property in ms. @param byDay as for the day's runs */
export const patienceMs = (byDay: number): number => (atLeast === 0 ? byDay : byDay * 40)

/** Rows of a table that the day plays in part: at night all, by day so many, evenly spread, the first and the last among them. */
export const rowsOf = <T>(rows: readonly T[], byDay: number): T[] =>
  isNight || rows.length <= byDay
    ? [...rows]
    : Array.from({ length: byDay }, (_, at) => rows[Math.round((at * (rows.length - 1)) / Math.max(1, byDay - 1))] as T)

/** Makes a test of the night alone: `npm run test:night` runs it, `npm test` does not know it. */
export const atNight =
  (test: (name: string, work: () => Promise<void> | void) => unknown) =>
  (name: string, work: () => Promise<void> | void): void => {
    if (isNight) test(name, work)
  }
