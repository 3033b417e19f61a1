import type { Usage } from 'protocol'

/** Sums up the tokens of a run, over all its model calls. `input` includes the tokens from the provider's cache, `cached`. */
export const tokensUsed = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage) => {
  const input = inputTokens + cacheReadTokens + cacheWriteTokens
  return { input, output: outputTokens, cached: cacheReadTokens, total: input + outputTokens }
}
