import { noUsage, type Usage } from 'protocol'
import type { CostOf } from './spent.ts'

/**
 * The sum of a model’s replies since the start of JARVIS. `costUsd` undefined: the model’s price is not known. `partial`: the number of replies
 * whose tokens were not all counted.
 */
export type ModelTally = { model: string; usage: Usage; costUsd: number | undefined; partial: number }

/** Counts the tokens and cost of models’ replies. Stopped and failed replies count too. */
export function createTally(costOf: CostOf) {
  const tallies = new Map<string, ModelTally>()
  return {
    add({ model, usage, isUsagePartial }: { model: string; usage: Usage; isUsagePartial?: true | undefined }) {
      const before = tallies.get(model) ?? { model, usage: noUsage, costUsd: 0, partial: 0 }
      const cost = costOf(model, usage)
      tallies.set(model, {
        model,
        usage: {
          inputTokens: before.usage.inputTokens + usage.inputTokens,
          outputTokens: before.usage.outputTokens + usage.outputTokens,
          cacheReadTokens: before.usage.cacheReadTokens + usage.cacheReadTokens,
          cacheWriteTokens: before.usage.cacheWriteTokens + usage.cacheWriteTokens,
        },
        costUsd: cost === undefined || before.costUsd === undefined ? undefined : before.costUsd + cost,
        partial: before.partial + (isUsagePartial ? 1 : 0),
      })
    },
    read: (): readonly ModelTally[] => [...tallies.values()],
  }
}
