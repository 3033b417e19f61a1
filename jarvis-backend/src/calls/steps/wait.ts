import { askerOf, missing, type Walk } from '../call.ts'
import type { Step } from '../states.ts'
import type { StepParts } from './parts.ts'
import type { createTakeUp } from './take-up.ts'

/** @returns a function that waits until a call's card is decided */
export function createWait(parts: StepParts, takeUp: ReturnType<typeof createTakeUp>) {
  const { confirmations, report } = parts

  /** Withdraws a stored card that differs from the call now. The cluster may not be known yet: an approval checks the rest. */
  async function review({ call, context, asked }: Walk) {
    const judged = await parts.seeingJudge(call.toolName, call.toolInput, context.sources, askerOf(context))
    const isUnread = judged.kind === 'blocked' && judged.target?.unitMissing !== undefined
    if (asked !== undefined && judged.kind === 'blocked' && !isUnread) confirmations.review(asked.card.toolUseId)
  }

  return (walk: Walk): Step | Promise<Step> => {
    const { call, asked = missing() } = walk
    // The card may be decided before this call begins to wait for it.
    if (confirmations.ofCall(call.toolUseId)?.resolution !== undefined) return takeUp(walk) ?? missing()
    const waited = confirmations.wait(Object.assign(walk, { asked }))
    if (walk.isTakenUp) void review(walk).catch((error: unknown) => report(error, call.toolName))
    return waited
  }
}
