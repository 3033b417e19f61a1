import { JarvisError } from 'protocol'
import { missing, type Walk } from '../call.ts'
import type { Reconciled } from '../reconcile.ts'
import { foundLater, foundOut, Recovery } from '../recover.ts'
import type { Step } from '../states.ts'
import type { StepParts } from './parts.ts'

/** Finds out from the cluster the outcome of calls that were claimed and have no answer. */
export class Looking {
  readonly #parts: Pick<StepParts, 'ways' | 'executions' | 'clock'>
  readonly #recovery: Recovery

  constructor(parts: StepParts) {
    this.#parts = parts
    this.#recovery = new Recovery(parts)
  }

  async look(walk: Walk): Promise<Step> {
    const { ways, clock } = this.#parts
    const { call, context, lost, claimed } = walk
    const { toolUseId, toolName, toolInput } = call
    if (lost !== undefined) {
      context.progress(toolUseId, 'The answer was lost: looking what became of it')
      const done = foundOut(lost, await this.#recovery.findOut(toolUseId, context.signal))
      return ways.take(walk, { type: 'found', done })
    }
    context.progress(toolUseId, 'Looking what became of it')
    const begun = claimed ?? missing()
    const found = await this.#recovery.look(toolUseId, { ...begun, toolName, toolInput })
    return ways.take(walk, { type: 'found', done: foundLater(found, clock.now() - begun.startedAt) })
  }

  /** Same as `Executor.check`. */
  async check(toolUseId: string): Promise<Reconciled> {
    const { ways, executions } = this.#parts
    const claimed = executions.get(toolUseId)
    if (claimed === undefined) throw new JarvisError('not_found', 'This call never started.')
    if (claimed.outcome !== 'unknown') throw new JarvisError('already_decided', 'The outcome of this call is known.')
    const { toolName, toolInput, sessionId, runId } = claimed
    const { outcome, text } = await this.#recovery.look(toolUseId, claimed)
    const call = { type: 'tool_call', toolUseId, toolName, toolInput } as const
    const finding = { sessionId, runId, outcome, text }
    ways.take({ state: 'unknown', call, context: undefined }, { type: 'checked', finding })
    return { outcome, text }
  }
}
