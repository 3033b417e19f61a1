/** Stores the newest time that the clock reached. If the clock is set back, everything that had ended by that time stays ended. */
export interface TimeFloor {
  /** @param at the time that was reached, Unix ms @param believed the believed time at that moment, Unix ms */
  keep(at: number, believed: number): void
  /** Returns the newest believed time, Unix ms; undefined in a new database. */
  believed(): number | undefined
  /** Returns the newest time in the database if `now` is more than 5 s behind it; otherwise undefined. */
  above(now: number): number | undefined
  /** Sets the end of each row that had ended by `reached` to `now`, and ends each sign-in that was unused for too long. Both times in Unix ms. */
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
  /** Makes the disk's reserve again if it was used up. */
  holdReserve(): void
  /** Called after the clock was set back, once everything that had expired before was expired again. */
  wentBack(): void
}
