/** One form of secret. None can run over its own text twice, so time is linear. */
export type Shape = {
  find: RegExp
  /** What takes its place. */
  put: string
  /**
   * Without a match of this (case does not count) `find` finds nothing: one cheap look for all shapes at once. Absent
   * where the names of secrets say it already.
   */
  hint?: string
  /** At the end of a text: what may still become one when more follows. `lead` is the part that gives nothing away. */
  open: RegExp
}
