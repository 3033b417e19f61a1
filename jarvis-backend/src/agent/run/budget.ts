import type { Usage } from '../../protocol/index.ts'
import type { ActiveRun } from '../active-run.ts'
import type { StoredEntry } from '../sessions/transcript-store.ts'

const sumOf = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage) =>
  inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens

/** About as many characters make a token. */
const charsPerToken = 4

/**
 * All tokens that a run's turns read and wrote. Where a provider counts none, they are estimated by the length of the texts, so that
 * a limit holds there too.
 */
export function tokensOf(entries: readonly StoredEntry[]): number {
  let chars = 0
  let tokens = 0
  for (const entry of entries) {
    if (entry.type === 'compaction') {
      tokens += entry.usage === undefined ? 0 : sumOf(entry.usage)
      continue
    }
    chars += JSON.stringify(entry).length
    if (entry.type !== 'assistant' || entry.model === undefined) continue
    tokens += sumOf(entry.usage) || Math.ceil(chars / charsPerToken)
  }
  return tokens
}

/**
 * Why a run may not call its model again; undefined where it may. The next turn reads at least what the last one did, so a run ends
 * before the turn that would pass its limit; only its first turn may do so alone.
 */
export function budgetWords({ origin, entries }: Pick<ActiveRun, 'origin' | 'entries'>): string | undefined {
  const most = mostTokensOf({ origin })
  if (most === undefined) return undefined
  const used = tokensOf(entries)
  const last = entries.findLastIndex((entry) => entry.type === 'assistant' && entry.model !== undefined)
  const lastTurn = last < 0 ? 0 : used - tokensOf(entries.slice(0, last))
  if (used + lastTurn <= most) return undefined
  return `Stopped: this run may use ${most} tokens and has used ${used}, so its model is not called again.`
}

/** How many tokens a run may use; undefined: as many as it wants. */
export const mostTokensOf = ({ origin }: Pick<ActiveRun, 'origin'>): number | undefined =>
  origin.kind === 'job' || origin.kind === 'child' ? origin.mostTokens : undefined
