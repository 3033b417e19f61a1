import type OpenAI from 'openai'
import type { Turn } from '../../agent/model.ts'

/** Characters of a request per token. */
const charsPerToken = 3.3
/**
 * Minimum number of reported tokens that is judged. For a long request, a smaller number comes from servers that count only tokens outside their
 * cache.
 */
const leastRead = 1_024
/** Maximum number of reported tokens that is judged: the largest window that a server chooses by default. */
const mostRead = 8_192

/**
 * Detects that a server has dropped part of a request without an error, as Ollama does beyond its `num_ctx`. The server then reports less than half
 * of the tokens that the request must have, and not more than a small window holds.
 * @param prompt number of tokens that the server reports as read, cached ones included
 */
export function silentCut(
  { messages, tools = [] }: Pick<OpenAI.ChatCompletionCreateParams, 'messages' | 'tools'>,
  prompt: number,
): Turn['cut'] {
  if (prompt < leastRead || prompt > mostRead) return undefined
  const sentTokens = Math.round(JSON.stringify([messages, tools]).length / charsPerToken)
  return sentTokens >= 2 * prompt ? { sentTokens, readTokens: prompt } : undefined
}
