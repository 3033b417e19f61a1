import { type Model, ModelError } from '../../agent/model.ts'
import type { Effort } from '../../protocol/index.ts'
import { exchange } from '../exchange.ts'
import { type Provider, sendFailure } from '../failure.ts'
import { countingRequest } from './counting.ts'
import { type OptionalField, refusedField, saidIn, withErrorUnderError } from './refused-fields.ts'
import { chatRequest, leastOf } from './request.ts'
import { chatReader } from './stream.ts'

export type OpenAiCompatibleOptions = {
  /** Servers on the local network may need none. */
  apiKey?: string
  /** Default `https://api.openai.com/v1`. */
  baseUrl?: string
  model: string
  /** Default: the server's. */
  maxTokens?: number
  /** Effort for requests without one. Absent: the request leaves it out too. */
  effort?: Effort
  /** Default: `patienceMs`. */
  idleTimeoutMs?: number
}

/** OpenAI, or any server with Chat Completions. */
export function openAiCompatibleModel(options: OpenAiCompatibleOptions): Model {
  const { apiKey, baseUrl = 'https://api.openai.com/v1', model } = options
  const { host, hostname } = new URL(baseUrl)
  const idleTimeoutMs = options.idleTimeoutMs ?? patienceMs(hostname)
  const isOpenAi = hostname === 'api.openai.com'
  const provider: Provider = {
    name: isOpenAi ? 'OpenAI' : host,
    host,
    keyName: 'OPENAI_API_KEY',
    urlName: 'OPENAI_BASE_URL',
    secret: apiKey,
  }
  const wantsReasoning = /(?:^|\.)(?:deepseek\.com|moonshot\.(?:ai|cn))$/.test(hostname)
  // Fields that the server refused for this model.
  const refused = new Set<OptionalField>()
  const body = { model, maxTokens: options.maxTokens, isOpenAi, wantsReasoning, refused, effort: options.effort }

  // The SDK is loaded with the first request, because loading is slow.
  const connect = async () => {
    const [{ OpenAI }, { nodeFetch }] = await Promise.all([import('openai'), import('../node-fetch.ts')])
    return new OpenAI({
      apiKey: apiKey ?? 'none',
      baseURL: baseUrl,
      organization: null,
      project: null,
      maxRetries: 0,
      logLevel: 'off',
      fetch: withErrorUnderError(nodeFetch(idleTimeoutMs)),
    })
  }
  let client: ReturnType<typeof connect> | undefined

  /** Only OpenAI itself counts. */
  const count: NonNullable<Model['count']> = async (request, signal) => {
    client ??= connect()
    const api = await client
    const { countIn } = await import('../node-fetch.ts')
    const response = await api
      .post('/responses/input_tokens', {
        body: countingRequest(request, model),
        signal,
      })
      .asResponse()
      .catch((error: unknown) => {
        throw sendFailure(provider, error)
      })
    return countIn(response)
  }

  return {
    id: `openai/${model}`,
    mostOutputTokens: ({ maxOutputTokens }) => leastOf(options.maxTokens ?? usualMost, maxOutputTokens) ?? usualMost,
    ...(isOpenAi && { count }),
    async generate(request, sink, signal) {
      client ??= connect()
      const { chat } = await client
      const mayCall = request.mayCallTools && request.tools.length > 0
      for (;;) {
        const sent = chatRequest(request, body)
        let said = ''
        try {
          return await exchange(
            provider,
            (upstream) =>
              chat.completions
                .create(sent, { signal: upstream })
                .asResponse()
                .catch((error) => {
                  said = saidIn(error)
                  throw error
                }),
            chatReader(provider, sink, mayCall),
            signal,
          )
        } catch (error) {
          const isRefusal = error instanceof ModelError && error.code === 'model_bad_request'
          const field = isRefusal ? refusedField(said || error.message, sent) : undefined
          if (field === undefined) throw isOpenAi ? explained(error, model) : error
          refused.add(field)
        }
      }
    },
  }
}

/** The longest reply that is expected where the settings name no limit, tokens. */
const usualMost = 16_384

/** Longest silence, ms. A local server may load the model and read the prompt before its first token. */
export const patienceMs = (hostname: string): number => (hostname === 'api.openai.com' ? 120_000 : 600_000)

/** Explains a refusal by OpenAI: from gpt-5.4 on, tools and reasoning together need another API. Other errors are returned unchanged. */
export function explained(error: unknown, model: string): unknown {
  const isOurs =
    error instanceof ModelError && error.code === 'model_bad_request' && /^gpt-(5\.[4-9]|[6-9])/.test(model)
  if (!isOurs || !/tool/i.test(error.message) || !/reasoning|responses/i.test(error.message)) return error
  return new ModelError(
    'model_bad_request',
    `OpenAI does not let ${model} reason and use tools over Chat Completions. Set OPENAI_MODEL to an earlier model.`,
    { isRetryable: false, cause: error },
  )
}
