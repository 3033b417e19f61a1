import { type EntryOf, noUsage, type ToolCall } from 'protocol'
import type { ActiveRun } from '../active-run.ts'
import { openCalls } from '../next-step.ts'
import type { PlanOrigin } from '../origin.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { StoredEntry } from '../sessions/transcript-store.ts'
import { spentOn } from '../spent.ts'
import { saying } from '../tool-runner.ts'
import type { createRunEnds } from './ends.ts'
import type { createSettleCalls } from './settle-calls.ts'

/** Says what a run does next that no model leads, from what is stored alone, so that a restart goes on where it was. */
export type Guide = {
  /**
   * The next calls, or the run's last words. May read the cluster and wait before it answers.
   * @param signal aborts when the run is stopped, or the server
   */
  next(
    plan: string,
    entries: readonly StoredEntry[],
    signal: AbortSignal,
  ): Promise<{ type: 'calls'; calls: readonly ToolCall[] } | { type: 'end'; words: string }>
  /** The run was stopped by a person, or by a fault. @returns its last words */
  stopped(plan: string, entries: readonly StoredEntry[], by: string): string
}

/** Follows a plan to its end. Rejects for a fault, or when the server stops. */
export function createFollow(
  guide: Guide,
  settleCalls: ReturnType<typeof createSettleCalls>,
  { end }: Pick<ReturnType<typeof createRunEnds>, 'end'>,
) {
  return async (session: LiveSession, run: ActiveRun, { plan }: PlanOrigin): Promise<void> => {
    const finish = (words: string, stopReason: EntryOf<'done'>['stopReason']) =>
      end(session, run, { type: 'done', ...spentOn(run.entries, () => undefined), stopReason }, [saying(words)])
    for (;;) {
      const open = openCalls(run.entries)
      if (open.length > 0) await settleCalls(session, run, open)
      if (run.abort.signal.aborted) return finish(guide.stopped(plan, run.entries, run.abortedBy), 'aborted')
      run.modelAbort.signal.throwIfAborted()
      let next: Awaited<ReturnType<Guide['next']>>
      try {
        next = await guide.next(plan, run.entries, run.modelAbort.signal)
      } catch (error) {
        if (run.abort.signal.aborted) continue
        throw error
      }
      if (next.type === 'end') return finish(next.words, 'end_turn')
      session.append(run, {
        type: 'assistant',
        madeBy: 'jarvis',
        content: [...next.calls],
        usage: noUsage,
        stopReason: 'tool_use',
      })
    }
  }
}
