import type { Model } from '../../agent/model.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../failure.ts'
import { jsonEndpoint, post } from '../post.ts'
import { anthropicBody } from './request.ts'
import { anthropicReader } from './stream.ts'

export type AnthropicOptions = {
  apiKey?: string
  /** Default `https://api.anthropic.com`. */
  baseUrl?: string
  model: string
  maxTokens: number
  /** Default 120 s without a byte. */
  idleTimeoutMs?: number
  /** `off`, the default, says nothing of thinking, and leaves the model its own default. */
  thinking?: 'off' | 'adaptive'
}

/** Claude over the Messages API. */
export function anthropicModel(options: AnthropicOptions): Model {
  const { apiKey, baseUrl = 'https://api.anthropic.com', model, idleTimeoutMs = 120_000 } = options
  const id = `anthropic/${model}`
  const provider: Provider = {
    name: 'Anthropic',
    host: new URL(baseUrl).host,
    keyName: 'ANTHROPIC_API_KEY',
    urlName: 'ANTHROPIC_BASE_URL',
    secret: apiKey,
  }
  const headers = { 'anthropic-version': '2026-10-21' }
  const endpoint = jsonEndpoint({ baseUrl, path: '/v1/messages', apiKey, idleTimeoutMs, headers })
  const bodyOf = anthropicBody({ id, model, maxTokens: options.maxTokens, thinking: options.thinking ?? 'off' })

  return {
    id,
    generate(request, sink, signal) {
      const mayCall = request.mayCallTools && request.tools.length > 0
      const send = () => post(endpoint, bodyOf(request))
      return exchange(provider, send, anthropicReader(provider, sink, mayCall), signal)
    },
  }
}
