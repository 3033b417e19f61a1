import { Effort } from 'protocol'
import { type Model, ModelError, type Turn } from '../../agent/model.ts'
import { picturesIn } from '../conversation.ts'
import { exchange } from '../exchange.ts'
import { type Provider, sendFailure } from '../failure.ts'
import { learnedInMemory } from '../learned.ts'
import type { ModelOptions } from '../model-api.ts'
import { settingsOf } from '../settings-names.ts'
import { createSight, withUnseen } from '../sight.ts'
import { createToolSchemas } from '../tool-schemas.ts'
import { anthropicEncoder, type ClaudeOnly, type EncodedRequest, isThinking, type Refused } from './request.ts'
import { anthropicReader } from './stream.ts'
import { thinkingFields, thinkingMode } from './thinking.ts'

/** Sent with a body of bytes, for which the SDK sets no content type. */
const headers = { 'content-type': 'application/json' }

/** Longest answer if the settings name none, tokens. */
const usualMost = 4_096

/** Claude, through the Messages API. */
export function anthropicModel(options: Omit<ModelOptions, 'name'> & { name?: string }): Model {
  const { name = 'anthropic', apiKey, baseUrl = 'https://api.anthropic.com', model, idleTimeoutMs = 120_000 } = options
  const { headers: own = {}, maxTokens = usualMost } = options
  const id = `${name}/${model}`
  const { host, hostname } = new URL(baseUrl)
  const provider: Provider = {
    name: name === 'anthropic' || hostname === 'api.anthropic.com' ? 'Anthropic' : host,
    host,
    ...settingsOf(name),
    secrets: [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(own)],
  }
  const encode = anthropicEncoder({ id, model, maxTokens, effort: options.effort })
  const sight = createSight(id, options.sees)
  const { learned = learnedInMemory() } = options
  const schemas = createToolSchemas(learned)
  const refused: Refused = {
    thinking: new Set(),
    effort: { has: (effort) => learned.has(`effort:${effort}`) },
    form: { has: (part) => learned.has(`form:${part}`) },
  }

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
    sees: sight.known,
    formats: ['json_schema'],
    mostOutputTokens: ({ effort = options.effort, maxOutputTokens }) =>
      thinkingFields(thinkingMode(model), effort, maxTokens, maxOutputTokens).max_tokens,
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
          const turn = await ask(encoded)
          schemas.taken(request)
          return withUnseen(turn, request, sight)
        } catch (error) {
          if (!(error instanceof ModelError) || error.because === 'picture') throw error
          // Some servers with this API stumble over a list, and say so with 500.
          const isRefusal =
            error.code === 'model_bad_request' || (!error.hasSpoken && /'list' object/.test(error.message))
          const said = isRefusal && !error.isTooLong ? error.message : ''
          const part = claudeOnly(said, encoded.body, refused)
          if (part !== undefined) learned.add(`form:${part}`)
          else if (encoded.effort !== undefined && isAboutEffort(said))
            for (const effort of isUnknown(said) ? Effort.options : [encoded.effort]) learned.add(`effort:${effort}`)
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

/** The server does not know a field, whatever its value. */
const isUnknown = (said: string) => /extra inputs|not permitted|unknown|unrecogni[sz]ed|unexpected/i.test(said)

/** The part of Claude's own form that a server refuses; undefined where it refuses none that was sent. */
function claudeOnly(said: string, body: Buffer, { form }: Refused): ClaudeOnly | undefined {
  if (/cache_control/.test(said) && !form?.has('cache_control') && body.includes('"cache_control":'))
    return 'cache_control'
  const isAboutSystem = /(?<!\w)system(?!\w).{0,60}(?:string|\bstr\b|\blist\b|array|sequence)/i.test(said)
  return (isAboutSystem || /'list' object/.test(said)) && !form?.has('system list') && body.includes('"system":[')
    ? 'system list'
    : undefined
}

/** Whether the provider refuses returned thinking. It checks more than the digest can know. */
const isAboutThoughts = (said: string) => /thinking|signature/i.test(said)

/** Whether the provider refuses the model's thinking or effort. Which models support them is not known here. */
const isAboutEffort = (said: string) =>
  /thinking|effort|output_config|budget_tokens/i.test(said) && !/signature|messages\.\d/i.test(said)
