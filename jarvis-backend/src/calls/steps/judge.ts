import type { Breaker } from '../breaker.ts'
import { askerOf, type Walk } from '../call.ts'
import { EarlierDecisions } from '../confirmations/before.ts'
import type { Judgement } from '../judge.ts'
import { createRateLimit } from '../rate-limit.ts'
import type { Step } from '../states.ts'
import { notBegun, type StepParts } from './parts.ts'

/** Judges a call that begins, and turns a verdict into the next step. */
export function createJudging(parts: StepParts, breaker: Pick<Breaker, 'refusal'>) {
  const { ways, cluster } = parts
  const rateLimit = createRateLimit(() => parts.world().policy.limits.rates, parts.clock.now)
  const before = new EarlierDecisions(parts)

  /** Why a call that may run must wait; undefined when no limit holds it back. */
  function heldBack({ call: { toolName }, context }: Walk, judged: Judgement): string | undefined {
    if (judged.kind !== 'ready') return undefined
    if (context.signal.aborted) return notBegun
    const { tool, target } = judged
    return rateLimit.take(context, toolName, tool.tier !== 'green') ?? breaker.refusal(toolName, target.node)
  }

  /** A denial of the same call and a grant for it count where a person would be asked. */
  function follow(walk: Walk, judgement: Judgement): Step {
    const { call, context } = walk
    walk.reservation?.release()
    walk.reservation = undefined
    const isRehearsal = context.isRehearsal()
    const event = { type: 'judged', judgement, isRehearsal } as const
    if (isRehearsal || judgement.kind !== 'ready' || judgement.verdict.tier !== 'red') return ways.take(walk, event)
    const denied = before.denied(call, judgement, context)
    if (denied === undefined) walk.reservation = before.reserve(call, judgement, context)
    const flooded = denied === undefined && walk.reservation === undefined ? before.flooded(context) : undefined
    if (flooded !== undefined) return ways.take(walk, { type: 'held', message: flooded, judged: judgement })
    return ways.take(walk, { ...event, denied, isGranted: walk.reservation !== undefined })
  }

  return {
    /** The step that a call's verdict leads to. */
    follow,
    async judge(walk: Walk): Promise<Step> {
      const { malformed, toolName, toolInput } = walk.call
      if (malformed !== undefined) {
        const message = `The arguments of ${toolName} could not be read: ${malformed}`
        return ways.take(walk, { type: 'held', message })
      }
      const { refusal } = walk.context
      // The calls of a plan name tools too.
      const named = () => [toolName, ...(parts.catalog.get(toolName)?.leadsTo?.(toolInput) ?? [])]
      const refused = refusal && named().flatMap((name) => refusal(name) ?? [])[0]
      if (refused !== undefined) return follow(walk, notGiven(refused))
      // Long arguments are remembered, so that cards and the journal do not wait for them.
      await parts.redactor.later(toolInput)
      if (cluster.catchUp !== undefined) await cluster.catchUp()
      const judged = await parts.seeingJudge(toolName, toolInput, walk.context.sources, askerOf(walk.context))
      const message = heldBack(walk, judged)
      return message === undefined ? follow(walk, judged) : ways.take(walk, { type: 'held', message, judged })
    },
  }
}

const notGiven = (reason: string): Judgement => ({
  kind: 'blocked',
  verdict: { tier: 'black', rule: 'not_given', reason },
})
