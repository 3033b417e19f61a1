import { noUsage, type Usage } from 'protocol'
import type { CostOf } from './spent.ts'

/** The sum of a model's replies since the start. `costUsd` undefined: no price is known. `partial`: replies whose tokens were not all counted. */
export type ModelTally = { model: string; usage: Usage; costUsd: number | undefined; partial: number }

/** Counts what models use, stopped and failed replies included. */
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
