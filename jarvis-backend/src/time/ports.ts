/** Keeps the newest time that was reached, so that a clock that is set back brings back nothing that had ended. */
export interface TimeFloor {
  /** @param at Unix ms @param believed the time that was believed then, Unix ms */
  keep(at: number, believed: number): void
  /** The newest time that was believed, Unix ms; undefined in a new database. */
  believed(): number | undefined
  /** The newest time of the database if `now` is behind it by more than 5 s; else undefined. */
  above(now: number): number | undefined
  /** Ends at `now` every row that had ended by `reached`, and every sign-in that nobody used for too long. Both in Unix ms. */
  end(reached: number, now: number): void
}

/** The parts of other rooms that the timekeeper uses. */
export type TimeNeeds = {
  floor: TimeFloor
  isOpen(): boolean
  durably<T>(work: () => T): T
  /** Appends an entry of the kind `setup` to the journal. */
  record(change: Record<string, unknown>): void
  log(text: string, level: 'warning'): void
  report(error: unknown, message: string): void
  /** Keeps the disk's reserve where it was used up. */
  holdReserve(): void
  /** Tells that the clock was set back, after all that had ended by the time reached was ended again. */
  wentBack(): void
}
