import type { Runs } from '../agent/runs.ts'
import type { TranscriptStore } from '../agent/sessions/transcript-store.ts'
import type { Clock } from '../lib/clock.ts'
import type { AskedStore } from './asked.ts'

/** How long a program that lost its connection has to ask again before its run is stopped, ms. The SDKs ask again within 8 s. */
export const graceMs = 10_000

/** Counts who listens to which run. A run outside a named session ends with the last of them, and its card is withdrawn. */
export function createListeners(parts: {
  runs: Pick<Runs, 'stopRun' | 'goesOn' | 'watch'>
  transcripts: Pick<TranscriptStore, 'entriesOfRun'>
  asked: Pick<AskedStore, 'forget'>
  clock: Clock
  isStopping(): boolean
  report(error: unknown, message: string): void
}) {
  const { runs, transcripts, asked, clock } = parts
  const counts = new Map<string, number>()

  /** A change that has begun is not given up: its outcome would be unknown. */
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
    /** @returns a function that ends it; `isKept`: the run goes on without a listener */
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
