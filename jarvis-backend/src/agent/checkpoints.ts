import type { Clock } from '../lib/clock.ts'
import type { Run } from './run.ts'
import type { TranscriptStore } from './sessions/transcript-store.ts'

/** The time between two writes of streaming text, ms. */
const everyMs = 1_000

/** Stores the text of all streaming answers once a second in one transaction, so that a restart loses at most a second of text. */
export class Checkpoints {
  readonly #store: Pick<TranscriptStore, 'atomically' | 'savePartial'>
  readonly #clock: Clock
  readonly #report: (error: unknown, message: string) => void
  readonly #grown = new Set<Run>()

  constructor(parts: {
    store: Pick<TranscriptStore, 'atomically' | 'savePartial'>
    clock: Clock
    report(error: unknown, message: string): void
  }) {
    this.#store = parts.store
    this.#clock = parts.clock
    this.#report = parts.report
  }

  /** Reports that the run’s streaming text has grown. */
  grew(run: Run): void {
    if (this.#grown.size === 0) this.#clock.after(everyMs, () => this.#write())
    this.#grown.add(run)
  }

  #write(): void {
    // The text of a stopped run is stored already, and a turn that has ended has no partial text.
    const due = [...this.#grown].filter((run) => run.partial.text !== '' && !run.modelSignal.aborted)
    this.#grown.clear()
    if (due.length === 0) return
    try {
      this.#store.atomically(() => {
        for (const run of due) this.#store.savePartial(run.id, run.partial.text)
      })
      for (const run of due) run.isPartialSaved = true
    } catch (error) {
      this.#report(error, 'partial answers could not be kept')
    }
  }
}
