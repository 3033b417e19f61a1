import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { Clock } from '../lib/clock.ts'
import type { AskedStore } from './asked.ts'

/** Time for a program to repeat its request after its connection broke, ms. Then its run is stopped. The SDKs repeat a request within 8 s. */
export const graceMs = 10_000

export interface Listeners {
  isHeard(runId: string): boolean
  /** Adds a listener. @returns a function that removes the listener; `isKept`: the run continues without a listener */
  join(run: Listened): (isKept: boolean) => void
}

/**
 * Counts the listeners of each run. If the last listener leaves and the run need not continue without one, the run is stopped after a delay, and its
 * cards are withdrawn.
 */
export function createListeners(parts: {
  runs: Pick<Runs, 'stopRun' | 'goesOn' | 'watch'>
  transcripts: Pick<TranscriptStore, 'entriesOfRun'>
  asked: Pick<AskedStore, 'forget'>
  clock: Clock
  isStopping(): boolean
  report(error: unknown, message: string): void
}): Listeners {
  const { runs, transcripts, asked, clock } = parts
  const counts = new Map<string, number>()

  /** True if a change of the run has begun and not ended. Such a run is not stopped, because the outcome of the change would be unknown. */
  function isChanging(runId: string): boolean {
    const open = new Set<string>()
    for (const entry of transcripts.entriesOfRun(runId)) {
      if (entry.type === 'tool_use' && entry.tier !== 'green') open.add(entry.toolUseId)
      if (entry.type === 'tool_result') open.delete(entry.toolUseId)
    }
    return open.size > 0
  }

  function abandon({ sessionId, runId, token }: Listened) {
    if (counts.has(runId) || parts.isStopping() || !runs.goesOn(sessionId, runId)) return
    if (isChanging(runId)) {
      clock.after(graceMs, () => abandon({ sessionId, runId, token }))
      return
    }
    try {
      asked.forget(runId)
      runs.stopRun(sessionId, runId, token)
    } catch (error) {
      parts.report(error, `the run ${runId} of a program that left could not be stopped`)
    }
  }

  return {
    isHeard: (runId: string): boolean => counts.has(runId),
    join(run: Listened): (isKept: boolean) => void {
      counts.set(run.runId, (counts.get(run.runId) ?? 0) + 1)
      let isOver = false
      return (isKept) => {
        if (isOver) return
        isOver = true
        const left = (counts.get(run.runId) ?? 1) - 1
        if (left > 0) counts.set(run.runId, left)
        else counts.delete(run.runId)
        if (left === 0 && !isKept) clock.after(graceMs, () => abandon(run))
      }
    },
  }
}

type Listened = { sessionId: string; runId: string; token: string }
