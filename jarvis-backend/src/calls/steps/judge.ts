import type { Breaker } from '../breaker.ts'
import { askedBy, type Walk } from '../call.ts'
import { EarlierDecisions } from '../confirmations/before.ts'
import type { Judgement } from '../judgement.ts'
import { RateLimit } from '../rate-limit.ts'
import type { Step } from '../states.ts'
import { notBegun, type StepParts } from './parts.ts'

/** Judges a call that begins, and turns the verdict into the next step. */
export class Judging {
  readonly #parts: StepParts
  readonly #breaker: Pick<Breaker, 'refusal'>
  readonly #rateLimit: RateLimit
  readonly #earlier: EarlierDecisions

  constructor(parts: StepParts, breaker: Pick<Breaker, 'refusal'>) {
    this.#parts = parts
    this.#breaker = breaker
    this.#rateLimit = new RateLimit(() => parts.world().policy.limits.rates, parts.clock.now)
    this.#earlier = new EarlierDecisions(parts)
  }

  async judge(walk: Walk): Promise<Step> {
    const { ways, catalog, redactor, cluster, seeingJudge } = this.#parts
    const { malformed, toolName, toolInput } = walk.call
    if (malformed !== undefined) {
      const message = `The arguments of ${toolName} could not be read: ${malformed}`
      return ways.take(walk, { type: 'held', message })
    }
    const { refusal } = walk.context
    // The calls of a plan name tools too, so these are checked as well.
    const named = () => [toolName, ...(catalog.get(toolName)?.leadsTo?.(toolInput) ?? [])]
    const refused = refusal && named().flatMap((name) => refusal(name) ?? [])[0]
    if (refused !== undefined) return this.follow(walk, notGiven(refused))
    // Redacts long arguments now and caches the result, so that cards and the journal do not wait for it.
    await redactor.later(toolInput)
    if (cluster.catchUp !== undefined) await cluster.catchUp()
    const judged = await seeingJudge(toolName, toolInput, askedBy(walk.context))
    const message = this.#heldBack(walk, judged)
    return message === undefined ? this.follow(walk, judged) : ways.take(walk, { type: 'held', message, judged })
  }

  /**
   * Takes the step that a verdict leads to. If the verdict asks a person, first looks for an earlier denial of the same call and for a grant that
   * covers it.
   */
  follow(walk: Walk, judgement: Judgement): Step {
    const { ways } = this.#parts
    const { call, context } = walk
    walk.reservation?.release()
    walk.reservation = undefined
    const isRehearsal = context.isRehearsal()
    const event = { type: 'judged', judgement, isRehearsal } as const
    if (isRehearsal || judgement.kind !== 'ready' || judgement.verdict.tier !== 'red') return ways.take(walk, event)
    const denied = this.#earlier.denied(call, judgement, context)
    if (denied === undefined) walk.reservation = this.#earlier.reserve(call, judgement, context)
    const flooded = denied === undefined && walk.reservation === undefined ? this.#earlier.flooded(context) : undefined
    if (flooded !== undefined) return ways.take(walk, { type: 'held', message: flooded, judged: judgement })
    return ways.take(walk, { ...event, denied, isGranted: walk.reservation !== undefined })
  }

  /** Returns why a call that may run must wait; undefined if no limit applies. */
  #heldBack({ call: { toolName }, context }: Walk, judged: Judgement): string | undefined {
    if (judged.kind !== 'ready') return undefined
    if (context.signal.aborted) return notBegun
    const { tool, target } = judged
    return (
      this.#rateLimit.take(context, toolName, tool.tier !== 'green') ?? this.#breaker.refusal(toolName, target.node)
    )
  }
}

const notGiven = (reason: string): Judgement => ({
  kind: 'blocked',
  verdict: { tier: 'black', rule: 'not_given', reason },
})
