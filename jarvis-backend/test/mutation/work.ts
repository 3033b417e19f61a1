/** The orders of a process of tests. Paths are absolute. */
export type Work = {
  /** Where it writes what it found, a line each. */
  report: string
  /** Files of tests that may notice the mutants. */
  tests: string[]
  /** Files that hold mutants, with the number of the first one in each. */
  files: { file: string; first: number }[]
  /** The mutants to wake, in this order. */
  mutants: number[]
}
