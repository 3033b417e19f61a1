import type { Usage } from 'protocol'

/** Tokens of a run, all its model calls together. `input` includes what came from the provider's cache, `cached`. */
export const tokensUsed = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage) => {
  const input = inputTokens + cacheReadTokens + cacheWriteTokens
  return { input, output: outputTokens, cached: cacheReadTokens, total: input + outputTokens }
}
