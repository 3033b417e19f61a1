import { pictureTokens, usualPictureTokens } from '../context/picture-tokens.ts'
import type { ModelImage, ModelRequest, ToolSpec } from '../model.ts'
import type { StoredEntry } from '../sessions/transcript-store.ts'

/** Characters of a request that make a token. */
const charsPerToken = 3.3
/**
 * @returns a function that estimates the tokens of a request. The last counted reply of the run by the same model is the truth; only what is
 * new since is estimated by its length.
 */
export function createEstimate() {
  const sizes = new WeakMap<readonly ToolSpec[], number>()
  const charsOf = (tools: readonly ToolSpec[]) => {
    const known = sizes.get(tools) ?? JSON.stringify(tools).length
    sizes.set(tools, known)
    return known
  }

  return (request: ModelRequest, model: string, entries: readonly StoredEntry[]): number => {
    const at = entries.findLastIndex((entry) => entry.type === 'assistant' && isCounted(entry, model))
    const last = entries[at]
    if (last?.type === 'assistant') {
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = last.usage
      const counted = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
      return counted + sizeOf(entries.slice(at + 1), model)
    }
    return Math.ceil((request.system.length + charsOf(request.tools)) / charsPerToken) + sizeOf(request.messages, model)
  }
}

const isCounted = (entry: Extract<StoredEntry, { type: 'assistant' }>, model: string): boolean =>
  entry.model === model && entry.isUsagePartial === undefined && entry.content.length > 0 && entry.usage.inputTokens > 0

/** Tokens of entries or messages, without what no model is given. */
function sizeOf(items: readonly object[], model: string): number {
  let pictures = 0
  const text = JSON.stringify(items, (key, value: unknown) => {
    if (key === 'images' && Array.isArray(value))
      for (const image of value as (Partial<ModelImage> & object)[])
        pictures += image.data === undefined ? usualPictureTokens : pictureTokens(image as ModelImage, model)
    return key === 'images' || key === 'data' ? undefined : value
  })
  return Math.ceil(text.length / charsPerToken) + pictures
}
