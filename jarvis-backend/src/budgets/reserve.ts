import { noUsage, type Usage } from 'protocol'
import type { CallPlan, Reservation } from '../agent/budgets.ts'
import type { CostOf } from '../agent/spent.ts'
import { mostOf } from './fit.ts'
import type { Caller, Scopes } from './scopes.ts'
import type { SpendingStore, SpendKind } from './spending.ts'

/** An estimate of the characters per token of an answer, for providers that count no tokens. */
const charsPerToken = 3.3

/** @returns a function that stores a call before it is made, with the maximum that it could use */
export function createReserve(parts: { store: SpendingStore; scopes: Scopes; now(): number; costOf: CostOf }) {
  const { store, scopes, now, costOf } = parts
  return (kind: SpendKind, plan: CallPlan, caller: Caller): Reservation => {
    const { agent, runId, jobId } = caller
    const most = mostOf(plan, costOf)
    const startedAt = now()
    const id = store.add({
      at: startedAt,
      kind,
      model: plan.model,
      agent,
      tokens: most.tokens,
      usd: most.usd,
      ms: 0,
      isOpen: true,
      isPartial: false,
      runId,
      jobId,
    })
    let lostTokens = 0
    return {
      near: undefined,
      settle(usage, { isPartial = false, said = 0 } = {}) {
        const reported = countedOf(usage, plan, { isPartial, said })
        const counted = { ...reported, usage: withLost(reported.usage, lostTokens) }
        store.settle(id, {
          tokens: tokensOf(counted.usage),
          usd: costOf(plan.model, counted.usage),
          ms: Math.max(0, now() - startedAt),
          isPartial: counted.isPartial || lostTokens > 0,
        })
      },
      release: () => store.remove(id),
      again(spent = noUsage, isLost) {
        if (isLost) lostTokens += plan.inputTokens
        const failed = withLost(spent, lostTokens)
        const cost = costOf(plan.model, failed)
        const usd = cost === undefined || most.usd === undefined ? undefined : cost + most.usd
        store.grow(id, { tokens: tokensOf(failed) + most.tokens, usd })
        return scopes
          .of(caller)
          .every(({ limits, spent: sum }) =>
            (['usd', 'tokens'] as const).every((unit) => sum[unit] <= (limits[unit] ?? Number.POSITIVE_INFINITY)),
          )
      },
    }
  }
}

export const tokensOf = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number =>
  inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens

const withLost = (usage: Usage, tokens: number): Usage => ({ ...usage, inputTokens: usage.inputTokens + tokens })

/**
 * Returns the tokens with which a call counts. If the provider did not count all of them, they are estimated from the request and from the
 * characters received.
 */
function countedOf(
  usage: Usage,
  plan: CallPlan,
  { isPartial, said }: { isPartial: boolean; said: number },
): { usage: Usage; isPartial: boolean } {
  if (tokensOf(usage) > 0 && !isPartial) return { usage, isPartial: false }
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
  return {
    usage: {
      ...usage,
      inputTokens: usage.inputTokens + Math.max(0, plan.inputTokens - input),
      outputTokens: Math.max(usage.outputTokens, Math.ceil(said / charsPerToken)),
    },
    isPartial: true,
  }
}
