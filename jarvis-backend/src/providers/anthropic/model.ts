import { type Model, ModelError, type Turn } from '../../agent/model.ts'
import type { Effort } from '../../protocol/index.ts'
import { picturesIn } from '../conversation.ts'
import { exchange } from '../exchange.ts'
import { type Provider, sendFailure } from '../failure.ts'
import { type Learned, learnedInMemory } from '../learned.ts'
import { settingsOf } from '../settings-names.ts'
import { createSight, withUnseen } from '../sight.ts'
import { createToolSchemas } from '../tool-schemas.ts'
import { anthropicEncoder, type EncodedRequest, isThinking, type Refused } from './request.ts'
import { anthropicReader } from './stream.ts'
import { thinkingFields, thinkingMode } from './thinking.ts'

/** Sent with a body of bytes, for which the SDK sets no content type. */
const headers = { 'content-type': 'application/json' }

export type AnthropicOptions = {
  /** The provider's name in ids; default `anthropic`. */
  name?: string
  apiKey?: string
  /** Default `https://api.anthropic.com`. */
  baseUrl?: string
  /** Sent with each request. */
  headers?: Readonly<Record<string, string>>
  model: string
  maxTokens: number
  /** Longest time without a byte, ms; default 120,000. */
  idleTimeoutMs?: number
  /** Effort for requests without one. Absent: the request leaves it out too. */
  effort?: Effort
  /** What the server refused before; absent: it is forgotten with the process. */
  learned?: Learned
  /** What the server says of the model's sight; absent or undefined: not known. */
  sees?: () => boolean | undefined
}

/** Claude, through the Messages API. */
export function anthropicModel(options: AnthropicOptions): Model {
  const { name = 'anthropic', apiKey, baseUrl = 'https://api.anthropic.com', model, idleTimeoutMs = 120_000 } = options
  const { headers: own = {} } = options
  const id = `${name}/${model}`
  const { host, hostname } = new URL(baseUrl)
  const provider: Provider = {
    name: name === 'anthropic' || hostname === 'api.anthropic.com' ? 'Anthropic' : host,
    host,
    ...settingsOf(name),
    secrets: [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(own)],
  }
  const encode = anthropicEncoder({ id, model, maxTokens: options.maxTokens, effort: options.effort })
  const sight = createSight(id, options.sees)
  const { learned = learnedInMemory() } = options
  const schemas = createToolSchemas(learned)
  const refused: Refused = { thinking: new Set(), effort: { has: (effort) => learned.has(`effort:${effort}`) } }

  // The SDK is loaded with the first request, because that takes a sixth of a second.
  const connect = async () => {
    const [{ Anthropic }, { nodeFetch }] = await Promise.all([import('@anthropic-ai/sdk'), import('../node-fetch.ts')])
    return new Anthropic({
      apiKey: apiKey ?? 'none',
      baseURL: baseUrl,
      maxRetries: 0,
      logLevel: 'off',
      defaultHeaders: own,
      openTelemetry: { traces: false, propagation: false },
      fetch: nodeFetch(idleTimeoutMs),
    })
  }
  let client: ReturnType<typeof connect> | undefined

  return {
    id,
    ...(sight.known !== undefined && { sees: sight.known }),
    formats: ['json_schema'],
    mostOutputTokens: ({ effort = options.effort, maxOutputTokens }) =>
      thinkingFields(thinkingMode(model), effort, options.maxTokens, maxOutputTokens).max_tokens,
    async count(request, signal) {
      client ??= connect()
      const api = await client
      const { body } = encode(schemas.fit(request), refused, sight.isBlind())
      const { model: name, system, tools, messages, thinking } = JSON.parse(body.toString()) as Record<string, unknown>
      const asked = { model: name, system, tools, messages, thinking }
      const { countIn } = await import('../node-fetch.ts')
      const response = await api
        .post('/v1/messages/count_tokens', { body: asked, signal })
        .asResponse()
        .catch((error: unknown) => {
          throw sendFailure(provider, error)
        })
      return countIn(response)
    },
    async generate(request, sink, signal) {
      client ??= connect()
      const api = await client
      const mayCall = request.mayCallTools && request.tools.length > 0
      const ask = async ({ body, digest }: EncodedRequest) => {
        const turn = await exchange(
          provider,
          (upstream) => api.post('/v1/messages', { body, headers, stream: true, signal: upstream }).asResponse(),
          anthropicReader(provider, sink, mayCall),
          signal,
        )
        return boundTo(turn, digest)
      }
      for (;;) {
        const encoded = encode(schemas.fit(request), refused, sight.isBlind())
        try {
          return withUnseen(await ask(encoded), request, sight)
        } catch (error) {
          if (error instanceof ModelError && error.because === 'picture') throw error
          const said = error instanceof ModelError && error.code === 'model_bad_request' ? error.message : ''
          if (encoded.effort !== undefined && isAboutEffort(said)) learned.add(`effort:${encoded.effort}`)
          else if (encoded.thinking.length > 0 && isAboutThoughts(said)) {
            for (const digest of encoded.thinking) refused.thinking.add(digest)
          } else if (
            (picturesIn(request.messages) === 0 || !sight.refused(said)) &&
            !(said !== '' && schemas.leaveOut(said, request))
          )
            throw error
        }
      }
    },
  }
}

/** Binds a reply's thinking to the digest of what came before it; it is sent back only after exactly that. */
const boundTo = (turn: Turn, after: string): Turn => ({
  ...turn,
  content: turn.content.map((content) => (isThinking(content) ? { ...content, after } : content)),
})

/** Whether the provider refuses returned thinking. It checks more than the digest can know. */
const isAboutThoughts = (said: string) => /thinking|signature/i.test(said)

/** Whether the provider refuses the model's thinking or effort. Which models support them is not known here. */
const isAboutEffort = (said: string) =>
  /thinking|effort|output_config|budget_tokens/i.test(said) && !/signature|messages\.\d/i.test(said)
