import type { Model } from '../../agent/model.ts'
import { exchange } from '../exchange.ts'
import type { Provider } from '../failure.ts'
import { anthropicBody } from './request.ts'
import { anthropicReader } from './stream.ts'

/** The SDK sends bytes as they are. */
const headers = { 'content-type': 'application/json' }

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
  const bodyOf = anthropicBody({ id, model, maxTokens: options.maxTokens, thinking: options.thinking ?? 'off' })

  // Loading the SDK takes a sixth of a second: the start does not wait for it.
  const connect = async () => {
    const [{ Anthropic }, { nodeFetch }] = await Promise.all([import('@anthropic-ai/sdk'), import('../node-fetch.ts')])
    return new Anthropic({
      apiKey: apiKey ?? 'none',
      baseURL: baseUrl,
      maxRetries: 0,
      logLevel: 'off',
      openTelemetry: { traces: false, propagation: false },
      fetch: nodeFetch(idleTimeoutMs),
    })
  }
  let client: ReturnType<typeof connect> | undefined

  return {
    id,
    async generate(request, sink, signal) {
      client ??= connect()
      const api = await client
      const mayCall = request.mayCallTools && request.tools.length > 0
      return exchange(
        provider,
        (upstream) =>
          api.post('/v1/messages', { body: bodyOf(request), headers, stream: true, signal: upstream }).asResponse(),
        anthropicReader(provider, sink, mayCall),
        signal,
      )
    },
  }
}
