import type { Anthropic } from '@anthropic-ai/sdk'
import { Effort } from 'protocol'
import { type Model, ModelError, type ModelRequest, type Turn } from '../../agent/model.ts'
import { picturesIn } from '../conversation.ts'
import { exchange } from '../exchange.ts'
import { type Provider, sendFailure } from '../failure.ts'
import { type Learned, learnedInMemory } from '../learned.ts'
import type { ModelOptions } from '../model-api.ts'
import { settingsOf } from '../settings-names.ts'
import { createSight, type Sight, withUnseen } from '../sight.ts'
import { type Signer, secretsOfKey, signerOf } from '../signers/index.ts'
import { ToolSchemas } from '../tool-schemas.ts'
import { anthropicEncoder, type ClaudeOnly, type EncodedRequest, isThinking, type Refused } from './request.ts'
import { anthropicReader } from './stream.ts'
import { thinkingFields, thinkingMode } from './thinking.ts'

/** Headers for requests whose body is bytes, for which the SDK sets no content type. */
const headers = { 'content-type': 'application/json' }

const usualUrl = 'https://api.anthropic.com'

/** Maximum length of an answer if the settings set none, tokens. */
const usualMost = 4_096

type AnthropicOptions = Omit<ModelOptions, 'name'> & { name?: string }

/** Returns a Claude model, through the Messages API. */
export function anthropicModel(options: AnthropicOptions): Model {
  const { name = 'anthropic', model, maxTokens = usualMost } = options
  const id = `${name}/${model}`
  const signer = signerOf(options.apiKey)
  const provider = providerOf(options, signer)
  const encode = anthropicEncoder({ id, model, maxTokens, effort: options.effort })
  const sight = createSight(id, options.sees)
  const { learned = learnedInMemory() } = options
  const schemas = new ToolSchemas(learned)
  const refusals = new Refusals({ learned, sight, schemas })
  const client = clientOf(options, signer)
  const encoded = (request: ModelRequest) => encode(schemas.fit(request), refusals.refused, sight.isBlind())

  return {
    id,
    sees: sight.known,
    formats: ['json_schema'],
    mostOutputTokens: ({ effort = options.effort, maxOutputTokens: most }) =>
      thinkingFields(thinkingMode(model), effort, { maxTokens, most }).max_tokens,
    async count(request, signal) {
      const api = await client()
      const body = JSON.parse(encoded(request).body.toString()) as Record<string, unknown>
      const { model: name, system, tools, messages, thinking } = body
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
      const api = await client()
      const mayCall = request.mayCallTools && request.tools.length > 0
      const ask = async ({ body, digest }: EncodedRequest) => {
        const turn = await exchange(provider, {
          send: (upstream) => api.post('/v1/messages', { body, headers, stream: true, signal: upstream }).asResponse(),
          reader: anthropicReader(provider, sink, mayCall),
          signal,
        })
        return boundTo(turn, digest)
      }
      for (;;) {
        const sent = encoded(request)
        try {
          const turn = await ask(sent)
          schemas.taken(request)
          return withUnseen(turn, request, sight)
        } catch (error) {
          if (!(error instanceof ModelError) || error.because === 'picture') throw error
          if (!refusals.leaveOut(error, sent, request)) throw error
        }
      }
    },
  }
}

function providerOf(options: AnthropicOptions, signer: Signer | undefined): Provider {
  const { name = 'anthropic', apiKey, baseUrl = usualUrl, headers = {} } = options
  const { host, hostname } = new URL(baseUrl)
  return {
    name: name === 'anthropic' || hostname === 'api.anthropic.com' ? 'Anthropic' : host,
    host,
    ...settingsOf(name),
    get secrets() {
      return [...secretsOfKey(apiKey, signer), ...Object.values(headers)]
    },
  }
}

/** Returns the SDK's client. The SDK is loaded with the first request, because loading takes a sixth of a second. */
function clientOf(
  { apiKey, baseUrl = usualUrl, headers = {}, idleTimeoutMs = 120_000 }: AnthropicOptions,
  signer: Signer | undefined,
) {
  const connect = async () => {
    const [{ Anthropic }, { nodeFetch }] = await Promise.all([import('@anthropic-ai/sdk'), import('../node-fetch.ts')])
    return new Anthropic({
      apiKey: signer === undefined ? (apiKey ?? 'none') : 'none',
      baseURL: baseUrl,
      maxRetries: 0,
      logLevel: 'off',
      defaultHeaders: headers,
      openTelemetry: { traces: false, propagation: false },
      fetch: nodeFetch(idleTimeoutMs, signer),
    })
  }
  let client: Promise<Anthropic> | undefined
  return () => {
    client ??= connect()
    return client
  }
}

/** The parts of requests that one server refused for one model. */
class Refusals {
  readonly refused: Refused
  readonly #learned: Learned
  readonly #sight: Sight
  readonly #schemas: ToolSchemas

  constructor({ learned, sight, schemas }: { learned: Learned; sight: Sight; schemas: ToolSchemas }) {
    this.#learned = learned
    this.#sight = sight
    this.#schemas = schemas
    this.refused = {
      thinking: new Set(),
      effort: { has: (effort) => learned.has(`effort:${effort}`) },
      form: { has: (part) => learned.has(`form:${part}`) },
    }
  }

  /** Leaves out the part that a refusal names. @returns false if the refusal names no part that was sent */
  leaveOut(error: ModelError, sent: EncodedRequest, request: ModelRequest): boolean {
    // Some servers with this API cannot read a list as the system prompt, and answer with status 500.
    const isRefusal = error.code === 'model_bad_request' || (!error.hasSpoken && /'list' object/.test(error.message))
    const said = isRefusal && !error.isTooLong ? error.message : ''
    const part = claudeOnly(said, sent.body, this.refused)
    if (part !== undefined) {
      this.#learned.add(`form:${part}`)
      return true
    }
    if (sent.effort !== undefined && isAboutEffort(said)) {
      for (const effort of isUnknown(said) ? Effort.options : [sent.effort]) this.#learned.add(`effort:${effort}`)
      return true
    }
    if (sent.thinking.length > 0 && isAboutThoughts(said)) {
      for (const digest of sent.thinking) this.refused.thinking.add(digest)
      return true
    }
    const isPicture = picturesIn(request.messages) > 0 && this.#sight.refused(said)
    return isPicture || (said !== '' && this.#schemas.leaveOut(said, request))
  }
}

/** Stores in a reply's thinking the digest of everything before it. The thinking is sent back only after exactly the same content. */
const boundTo = (turn: Turn, after: string): Turn => ({
  ...turn,
  content: turn.content.map((content) => (isThinking(content) ? { ...content, after } : content)),
})

/** True if the server refuses a field itself, whatever its value. */
const isUnknown = (said: string) => /extra inputs|not permitted|unknown|unrecogni[sz]ed|unexpected/i.test(said)

/** Finds the part of Claude's own form that a server refuses; undefined if it refuses no such part that was sent. */
function claudeOnly(said: string, body: Buffer, { form }: Refused): ClaudeOnly | undefined {
  if (/cache_control/.test(said) && !form?.has('cache_control') && body.includes('"cache_control":'))
    return 'cache_control'
  const isAboutSystem = /(?<!\w)system(?!\w).{0,60}(?:string|\bstr\b|\blist\b|array|sequence)/i.test(said)
  return (isAboutSystem || /'list' object/.test(said)) && !form?.has('system list') && body.includes('"system":[')
    ? 'system list'
    : undefined
}

/** True if the provider refuses thinking that was sent back. The provider checks more than the digest covers. */
const isAboutThoughts = (said: string) => /thinking|signature/i.test(said)

/** True if the provider refuses thinking or effort. No table here knows which models support them. */
const isAboutEffort = (said: string) =>
  /thinking|effort|output_config|budget_tokens/i.test(said) && !/signature|messages\.\d/i.test(said)
