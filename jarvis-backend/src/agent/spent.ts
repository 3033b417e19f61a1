import { noUsage, type Usage } from 'protocol'
import type { StoredEntry } from './sessions/entries.ts'

/** An entry for which a model was paid: a turn, or the summary of a fold. */
type Paid = StoredEntry & { type: 'assistant' | 'compaction'; model: string; usage: Usage }
const isPaid = (entry: StoredEntry): entry is Paid =>
  (entry.type === 'assistant' || entry.type === 'compaction') && entry.model !== undefined && entry.usage !== undefined

/** The cost in US dollars; undefined if the price of the model is not known. */
export type CostOf = (model: string, usage: Usage) => number | undefined

export type Spent = { usage: Usage; costUsd?: number; isUsagePartial?: true }

/** Adds up the tokens and the cost of a run’s turns. `costUsd` is undefined if a price is not known, or if no tokens were used. */
export function spentOn(entries: readonly StoredEntry[], costOf: CostOf): Spent {
  let costUsd: number | undefined = 0
  for (const entry of entries) {
    if (!isPaid(entry) || isNothing(entry.usage) || costUsd === undefined) continue
    const cost = costOf(entry.model, entry.usage)
    costUsd = cost === undefined ? undefined : costUsd + cost
  }
  const isUsagePartial = entries.some((entry) => isPaid(entry) && entry.isUsagePartial)
  return {
    usage: usageOf(entries),
    ...(isUsagePartial && { isUsagePartial }),
    ...(costUsd !== undefined && costUsd > 0 && { costUsd }),
  }
}

export const usageOf = (entries: readonly StoredEntry[]): Usage =>
  entries.reduce<Usage>(
    (sum, entry) =>
      !isPaid(entry) && entry.type !== 'assistant'
        ? sum
        : {
            inputTokens: sum.inputTokens + entry.usage.inputTokens,
            outputTokens: sum.outputTokens + entry.usage.outputTokens,
            cacheReadTokens: sum.cacheReadTokens + entry.usage.cacheReadTokens,
            cacheWriteTokens: sum.cacheWriteTokens + entry.usage.cacheWriteTokens,
          },
    noUsage,
  )

const isNothing = (usage: Usage) => Object.values(usage).every((tokens) => tokens === 0)

const sumOf = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage) =>
  inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens

/** An estimate of the characters per token. */
const charsPerToken = 4

/**
 * Returns all tokens that a run’s turns read and wrote. If a provider counts no tokens, they are estimated from the length of the texts, so that a
 * limit applies to its models too.
 */
export function tokensOf(entries: readonly StoredEntry[]): number {
  let chars = 0
  let tokens = 0
  for (const entry of entries) {
    chars += JSON.stringify(entry).length
    if (entry.type !== 'assistant' || entry.model === undefined) continue
    tokens += sumOf(entry.usage) || Math.ceil(chars / charsPerToken)
  }
  return tokens
}
