import { JarvisError } from 'protocol'
import { missing, type Walk } from '../call.ts'
import type { Reconciled } from '../reconcile.ts'
import { createRecovery, foundLater, foundOut } from '../recover.ts'
import type { Step } from '../states.ts'
import type { StepParts } from './parts.ts'

/** Looks in the cluster what became of calls that were claimed and have no answer. */
export function createLooking(parts: StepParts) {
  const { ways, executions, clock } = parts
  const recovery = createRecovery(parts)

  return {
    async look(walk: Walk): Promise<Step> {
      const { call, context, lost, claimed } = walk
      const { toolUseId, toolName, toolInput } = call
      if (lost !== undefined) {
        context.progress(toolUseId, 'The answer was lost: looking what became of it')
        const done = foundOut(lost, await recovery.findOut(toolUseId, context.signal))
        return ways.take(walk, { type: 'found', done })
      }
      context.progress(toolUseId, 'Looking what became of it')
      const begun = claimed ?? missing()
      const found = await recovery.look(toolUseId, { ...begun, toolName, toolInput })
      return ways.take(walk, { type: 'found', done: foundLater(found, clock.now() - begun.startedAt) })
    },
    /** As `Executor.check`. */
    async check(toolUseId: string): Promise<Reconciled> {
      const claimed = executions.get(toolUseId)
      if (claimed === undefined) throw new JarvisError('not_found', 'This call never started.')
      if (claimed.outcome !== 'unknown') throw new JarvisError('already_decided', 'The outcome of this call is known.')
      const { toolName, toolInput, sessionId, runId } = claimed
      const { outcome, text } = await recovery.look(toolUseId, claimed)
      const call = { type: 'tool_call', toolUseId, toolName, toolInput } as const
      const finding = { sessionId, runId, outcome, text }
      ways.take({ state: 'unknown', call, context: undefined }, { type: 'checked', finding })
      return { outcome, text }
    },
  }
}
