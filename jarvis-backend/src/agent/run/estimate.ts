import { pictureTokens, usualPictureTokens } from '../context/picture-tokens.ts'
import type { ModelImage, ModelRequest, ToolSpec } from '../model.ts'
import type { StoredEntry } from '../sessions/entries.ts'

/** An estimate of the characters per token in a request. */
const charsPerToken = 3.3

/** Estimates the tokens of requests. */
export class Estimate {
  readonly #sizes = new WeakMap<readonly ToolSpec[], number>()

  /**
   * Estimates the tokens of a request. If the provider counted the run’s last reply by the same model, only newer entries are estimated from their
   * length.
   * @param entries the run’s entries
   */
  of(request: ModelRequest, model: string, entries: readonly StoredEntry[]): number {
    const at = entries.findLastIndex((entry) => entry.type === 'assistant' && isCounted(entry, model))
    const last = entries[at]
    if (last?.type === 'assistant') {
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = last.usage
      const counted = inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens
      return counted + sizeOf(entries.slice(at + 1), model)
    }
    const chars = request.system.length + this.#charsOf(request.tools)
    return Math.ceil(chars / charsPerToken) + sizeOf(request.messages, model)
  }

  #charsOf(tools: readonly ToolSpec[]): number {
    const known = this.#sizes.get(tools) ?? JSON.stringify(tools).length
    this.#sizes.set(tools, known)
    return known
  }
}

const isCounted = (entry: Extract<StoredEntry, { type: 'assistant' }>, model: string): boolean =>
  entry.model === model && entry.isUsagePartial === undefined && entry.content.length > 0 && entry.usage.inputTokens > 0

/** Estimates the tokens of entries or messages. A picture counts by its dimensions, not by the length of its data. */
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
