import type { Content, Usage } from 'protocol'
import type { Message, ModelImage, ToolSpec } from '../model.ts'
import type { StoredEntry } from '../sessions/transcript-store.ts'
import { pictureTokens } from './picture-tokens.ts'

/** Characters per token that are assumed until the provider has counted a request. */
export const usualCharsPerToken = 3.3
/** A ratio outside these bounds shows that the provider did not count the whole request. */
const leastCharsPerToken = 1
const mostCharsPerToken = 12
type Request = { system: string; tools: readonly ToolSpec[]; messages: readonly Message[] }

/**
 * The size of the next request, tokens. `counted`: the part that the provider counted with its newest reply; 0 if all tokens are estimated.
 * `charsPerToken`: the session’s ratio, used for estimates.
 */
export type Size = { tokens: number; counted: number; charsPerToken: number }

export const inputOf = ({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number =>
  inputTokens + cacheReadTokens + cacheWriteTokens

/**
 * Returns the size of a request: the provider’s last count, and an estimate for newer messages. A fold makes the count invalid, so until the next
 * reply the whole size is estimated.
 * @param entries the entries from which `request.messages` were made
 * @param how.model the id of the model that gets the request
 */
export function sizeOf(
  request: Request,
  entries: readonly StoredEntry[],
  { charsOfTools, model = '' }: { charsOfTools(tools: readonly ToolSpec[]): number; model?: string },
): Size {
  const { system, tools, messages } = request
  const fixed = system.length + charsOfTools(tools)
  const sizes = messages.map((message) => charsOfMessage(message, model))
  const all = fixed + sum(sizes)
  const changedAt = entries.reduce((seq, entry) => (entry.type === 'compaction' ? Math.max(seq, entry.seq) : seq), -1)
  const last = entries.findLast(
    (entry) =>
      entry.type === 'assistant' && entry.model !== undefined && entry.content.length > 0 && inputOf(entry.usage) > 0,
  )
  if (last?.type === 'assistant' && last.seq > changedAt) {
    const at = messages.findLastIndex((message) => message.role === 'assistant' && message.content === last.content)
    const input = inputOf(last.usage)
    const charsPerToken = (fixed + sum(sizes.slice(0, at))) / input
    if (at >= 0 && isPlausible(charsPerToken)) {
      const counted = input + last.usage.outputTokens
      return { tokens: counted + Math.ceil(sum(sizes.slice(at + 1)) / charsPerToken), counted, charsPerToken }
    }
  }
  return { tokens: Math.ceil(all / usualCharsPerToken), counted: 0, charsPerToken: usualCharsPerToken }
}

const isPlausible = (ratio: number) => ratio >= leastCharsPerToken && ratio <= mostCharsPerToken
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

export function charsOfMessage(message: Message, model = ''): number {
  if (message.role === 'assistant') return sum(message.content.map(charsOfContent))
  const charsOf = (images: readonly ModelImage[] = []) =>
    sum(images.map((image) => Math.ceil(pictureTokens(image, model) * usualCharsPerToken)))
  const results = message.results.map(({ text, images }) => text.length + charsOf(images) + 60)
  return message.text.length + (message.context?.length ?? 0) + sum(results) + charsOf(message.images)
}

export function charsOfContent(content: Content): number {
  switch (content.type) {
    case 'text':
    case 'thinking':
      return content.text.length
    case 'redacted_thinking':
      return content.data.length
    case 'tool_call':
      return content.toolName.length + JSON.stringify(content.toolInput).length + 60
  }
}
