import type { OpenAI } from 'openai'
import type { Model } from '../../agent/model.ts'
import { type Provider, sendFailure } from '../failure.ts'
import type { ModelOptions } from '../model-api.ts'
import { settingsOf } from '../settings-names.ts'
import { secretsOfKey, signerOf } from '../signers/index.ts'
import { countingRequest } from './counting.ts'

/** `name`: the provider's name, default `openai`. */
export type OpenAiOptions = Omit<ModelOptions, 'name'> & { name?: string }

/** Assumed maximum length of an answer if the settings set none, tokens. */
export const usualMost = 16_384

/**
 * Maximum time without a byte, ms. It is longer for servers other than OpenAI's, because a local server may load the model and read the prompt
 * before the first token.
 */
export const patienceMs = (hostname: string): number => (hostname === 'api.openai.com' ? 120_000 : 600_000)

/** A service with OpenAI's API: its names, its client and its counting. */
export function openAiService(options: OpenAiOptions) {
  const { name = 'openai', apiKey, baseUrl = 'https://api.openai.com/v1', headers = {}, model } = options
  const { host, hostname } = new URL(baseUrl)
  const isOpenAi = hostname === 'api.openai.com'
  const signer = signerOf(apiKey)
  const provider: Provider = {
    name: isOpenAi ? 'OpenAI' : host,
    host,
    ...settingsOf(name),
    get secrets() {
      return [...secretsOfKey(apiKey, signer), ...Object.values(headers)]
    },
  }

  // The SDK is loaded with the first request, because loading is slow.
  const connect = async () => {
    const [{ OpenAI }, { nodeFetch }] = await Promise.all([import('openai'), import('../node-fetch.ts')])
    return new OpenAI({
      apiKey: signer === undefined ? (apiKey ?? 'none') : 'none',
      baseURL: baseUrl,
      organization: null,
      project: null,
      maxRetries: 0,
      logLevel: 'off',
      defaultHeaders: headers,
      fetch: nodeFetch(options.idleTimeoutMs ?? patienceMs(hostname), signer),
    })
  }
  let opened: Promise<OpenAI> | undefined
  const client = () => {
    opened ??= connect()
    return opened
  }

  const count: NonNullable<Model['count']> = async (request, signal) => {
    const api = await client()
    const { countIn } = await import('../node-fetch.ts')
    const response = await api
      .post('/responses/input_tokens', { body: countingRequest(request, model), signal })
      .asResponse()
      .catch((error: unknown) => {
        throw sendFailure(provider, error)
      })
    return countIn(response)
  }

  return {
    id: `${name}/${model}`,
    isOpenAi,
    hostname,
    provider,
    client,
    /** Only OpenAI itself offers the counting of tokens. */
    counting: isOpenAi ? { count } : {},
  }
}

/** Returns the smaller of two limits; if one is undefined, the other. */
export const leastOf = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
