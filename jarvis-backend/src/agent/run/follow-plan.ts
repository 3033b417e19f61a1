import { type EntryOf, noUsage } from 'protocol'
import { openCalls } from '../next-step.ts'
import type { PlanOrigin } from '../origin.ts'
import type { Guide } from '../ports.ts'
import type { Run } from '../run.ts'
import { spentOn } from '../spent.ts'
import { saying } from '../tool-runner.ts'
import type { RunEnds } from './ends.ts'
import type { SettleCalls } from './settle-calls.ts'

/** Follows a plan to its end. Rejects for a fault, or when the server stops. */
export async function followPlan(
  run: Run,
  { plan }: PlanOrigin,
  { guide, calls, ends }: { guide: Guide; calls: SettleCalls; ends: Pick<RunEnds, 'end'> },
): Promise<void> {
  const finish = (words: string, stopReason: EntryOf<'done'>['stopReason']) =>
    ends.end(run, { type: 'done', ...spentOn(run.entries, () => undefined), stopReason }, [saying(words)])
  for (;;) {
    const open = openCalls(run.entries)
    if (open.length > 0) await calls.settle(run, open)
    if (run.isStopped) return finish(guide.stopped(plan, run.entries, run.abortedBy), 'aborted')
    run.modelSignal.throwIfAborted()
    let next: Awaited<ReturnType<Guide['next']>>
    try {
      next = await guide.next(plan, run.entries, run.modelSignal)
    } catch (error) {
      if (run.isStopped) continue
      throw error
    }
    if (next.type === 'end') return finish(next.words, 'end_turn')
    const content = [...next.calls]
    run.append({ type: 'assistant', madeBy: 'jarvis', content, usage: noUsage, stopReason: 'tool_use' })
  }
}
