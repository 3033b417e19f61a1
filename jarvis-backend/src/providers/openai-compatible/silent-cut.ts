import type OpenAI from 'openai'
import type { Turn } from '../../agent/model.ts'

/** Characters of a request that make a token. */
const charsPerToken = 3.3
/** Servers that count only what they had not cached report less than this for a long request. */
const leastRead = 1_024
/** The largest window that a server chooses by itself. */
const mostRead = 8_192

/**
 * Whether a server seems to have dropped part of a request without a word, as Ollama does beyond its `num_ctx`: it says that it read less
 * than half of the tokens that the request must have, and no more than a small window holds.
 * @param prompt tokens that it says it read, cached ones included
 */
export function silentCut(
  { messages, tools = [] }: Pick<OpenAI.ChatCompletionCreateParams, 'messages' | 'tools'>,
  prompt: number,
): Turn['cut'] {
  if (prompt < leastRead || prompt > mostRead) return undefined
  const sentTokens = Math.round(JSON.stringify([messages, tools]).length / charsPerToken)
  return sentTokens >= 2 * prompt ? { sentTokens, readTokens: prompt } : undefined
}
