import type { SessionView } from '../../features/chat/state.ts'
import { thousands } from '../../lib/format.ts'

/** The tokens that a session has used, `14.2k tokens`; undefined while earlier entries are not loaded. */
export function tokensOf(view: SessionView): string | undefined {
  if (view.hasEarlier) return undefined
  const total = view.entries.reduce((sum, entry) => {
    if ((entry.type !== 'done' && entry.type !== 'error') || entry.usage === undefined) return sum
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = entry.usage
    return sum + inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
  }, 0)
  return total === 0 ? undefined : `${thousands(total)} tokens`
}
