import { askedBy, missing, type Walk } from '../call.ts'
import { type Step, stateOf } from '../states.ts'
import type { StepParts } from './parts.ts'

/** Waits until a call's card is decided, and resumes calls that an earlier process of JARVIS had started. */
export class CardWait {
  readonly #parts: Pick<StepParts, 'ways' | 'executions' | 'confirmations' | 'seeingJudge' | 'report'>

  constructor(parts: StepParts) {
    this.#parts = parts
  }

  /** Resumes a call from the stores. @returns undefined for a new call */
  takeUp(walk: Walk): Step | undefined {
    const { ways, executions, confirmations } = this.#parts
    const { toolUseId } = walk.call
    const claimed = executions.get(toolUseId)
    if (claimed !== undefined) {
      Object.assign(walk, { state: 'running', claimed })
      return ways.take(walk, { type: 'resumed' })
    }
    const stored = confirmations.ofCall(toolUseId)
    if (stored === undefined) return undefined
    const { resolution, ...asked } = stored
    Object.assign(walk, { state: stateOf(resolution?.decision), asked, isTakenUp: true })
    return ways.take(walk, { type: 'resumed' })
  }

  wait(walk: Walk): Step | Promise<Step> {
    const { confirmations, report } = this.#parts
    const { call, asked = missing() } = walk
    // The card may be decided before this call begins to wait for it.
    if (confirmations.ofCall(call.toolUseId)?.resolution !== undefined) return this.takeUp(walk) ?? missing()
    const waited = confirmations.wait(Object.assign(walk, { asked }))
    if (walk.isTakenUp) void this.#review(walk).catch((error: unknown) => report(error, call.toolName))
    return waited
  }

  /** Withdraws a stored card if the gate refuses its call now. If the state cannot be read yet, the check at the approval decides. */
  async #review({ call, context, asked }: Walk): Promise<void> {
    const { seeingJudge, confirmations } = this.#parts
    const judged = await seeingJudge(call.toolName, call.toolInput, askedBy(context))
    const isUnread = judged.kind === 'blocked' && judged.target?.unitMissing !== undefined
    if (asked !== undefined && judged.kind === 'blocked' && !isUnread) confirmations.review(asked.card.toolUseId)
  }
}
