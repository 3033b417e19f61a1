/**
 * Prices in US dollars per million tokens: input, output, cache reads, and cache writes that last five minutes. `above`: prices that apply to the
 * whole request if its prompt has more than `promptTokens` tokens.
 */
export type Price = {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  above?: { promptTokens: number; input: number; output: number; cacheRead: number; cacheWrite: number }
}

const anthropic = (input: number, output: number, cacheRead = input / 10): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite: input * 1.25,
})
/** Price of an OpenAI model; cache writes are free. */
const openai = (input: number, output: number, cacheRead: number): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite: 0,
})

const embedding = (input: number): Price => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 })
/**
 * Price of a Google model. Google charges for a stored cache by the hour; this is not counted. `above`: prices if the prompt has more than 200,000
 * tokens.
 */
const gemini = (input: number, output: number, long?: [input: number, output: number]): Price => ({
  input,
  output,
  cacheRead: input / 10,
  cacheWrite: 0,
  ...(long && {
    above: { promptTokens: 200_000, input: long[0], output: long[1], cacheRead: long[0] / 10, cacheWrite: 0 },
  }),
})

/**
 * Shipped prices by `service/model` without a date suffix, for standard service without batches. Looked up on 2026-11-22. Anthropic's prices: from
 * platform.claude.com/docs/en/about-claude/pricing, those of the newest models from third parties. OpenAI's: from third parties that quote
 * developers.openai.com/api/docs/pricing, which could not be read. Gemini's: from third parties that quote ai.google.dev. Compare all prices from
 * third parties before you rely on them.
 */
export const shippedPrices: Readonly<Record<string, Price>> = {
  'anthropic/claude-fable-5-1': anthropic(10, 50, 0.25),
  'anthropic/claude-fable-5': anthropic(10, 50),
  'anthropic/claude-opus-5-5': anthropic(4, 20, 0.2),
  'anthropic/claude-opus-5': anthropic(5, 25),
  'anthropic/claude-opus-4-8': anthropic(5, 25),
  'anthropic/claude-opus-4-7': anthropic(5, 25),
  'anthropic/claude-opus-4-6': anthropic(5, 25),
  'anthropic/claude-opus-4-5': anthropic(5, 25),
  'anthropic/claude-opus-4-1': anthropic(15, 75),
  'anthropic/claude-opus-4': anthropic(15, 75),
  'anthropic/claude-sonnet-5-5': anthropic(2, 10, 0.1),
  'anthropic/claude-sonnet-5': anthropic(2, 10),
  'anthropic/claude-sonnet-4-6': anthropic(3, 15),
  'anthropic/claude-sonnet-4-5': anthropic(3, 15),
  'anthropic/claude-sonnet-4': anthropic(3, 15),
  'anthropic/claude-3-7-sonnet': anthropic(3, 15),
  'anthropic/claude-haiku-5-5': { ...anthropic(0.1, 0.5), above: { promptTokens: 100_000, ...anthropic(0.5, 2.5) } },
  'anthropic/claude-haiku-4-5': anthropic(1, 5),
  'anthropic/claude-3-5-haiku': anthropic(0.8, 4),
  'openai/gpt-5.4': openai(2.5, 15, 0.25),
  'openai/gpt-5.4-mini': openai(0.75, 4.5, 0.075),
  'openai/gpt-5.2': openai(1.75, 14, 0.175),
  'openai/gpt-5.1': openai(1.25, 10, 0.125),
  'openai/gpt-5': openai(1.25, 10, 0.125),
  'openai/gpt-5-mini': openai(0.25, 2, 0.025),
  'openai/gpt-5-nano': openai(0.05, 0.4, 0.005),
  'openai/gpt-4.1': openai(2, 8, 0.5),
  'openai/gpt-4.1-mini': openai(0.4, 1.6, 0.1),
  'openai/gpt-4.1-nano': openai(0.1, 0.4, 0.025),
  'openai/gpt-4o': openai(2.5, 10, 1.25),
  'openai/gpt-4o-mini': openai(0.15, 0.6, 0.075),
  'openai/o3': openai(2, 8, 0.5),
  'openai/o4-mini': openai(1.1, 4.4, 0.275),
  'openai/text-embedding-3-small': embedding(0.02),
  'openai/text-embedding-3-large': embedding(0.13),
  'gemini/gemini-2.5-pro': gemini(1.25, 10, [2.5, 15]),
  'gemini/gemini-2.5-flash': gemini(0.3, 2.5),
  'gemini/gemini-2.5-flash-lite': gemini(0.1, 0.4),
}
