import type { JobSlot, JobTrace } from 'protocol'
import { saidIn, stepsOf } from '../../agent/run-trace.ts'
import type { TranscriptStore } from '../../agent/sessions/transcript-store.ts'
import type { Foundation } from '../../foundation.ts'
import type { JobTraces } from '../job.ts'

export type RunTracesParts = {
  store: Pick<TranscriptStore, 'entriesOfRun'>
  journal: Pick<Foundation['journal'], 'entriesOfCalls'>
  redactor: Pick<Foundation['redactor'], 'value'>
}

/** Reads the records of runs from their transcripts and the journal. */
export class RunTraces implements JobTraces {
  readonly #parts: RunTracesParts

  constructor(parts: RunTracesParts) {
    this.#parts = parts
  }

  of(slot: JobSlot): JobTrace {
    const { store, journal, redactor } = this.#parts
    const entries = slot.runId === undefined ? [] : store.entriesOfRun(slot.runId)
    const said = saidIn(entries)
    const [begun, ended] = [entries.at(0)?.at ?? 0, entries.at(-1)?.at ?? 0]
    const entryOf = slot.sessionId === undefined ? undefined : journal.entriesOfCalls(slot.sessionId, begun, ended)
    const steps = stepsOf(entries).map(({ toolUseId, ...step }) => {
      const entry = entryOf?.get(toolUseId)
      return { ...step, toolInput: redactor.value(step.toolInput), ...(entry !== undefined && { entry }) }
    })
    return { ...slot, steps, said }
  }
}
