import type { ModelFacts } from 'protocol'
import type { ModelError } from '../agent/model.ts'
import { whyUnreachable } from '../lib/unreachable.ts'
import { listedFacts, llamaFacts, ollamaFacts } from './facts/listed-facts.ts'
import { refusal } from './failure.ts'
import { type Fields, fieldsIfAny } from './fields.ts'
import { isCloud } from './places.ts'
import { asErrorBody } from './refusals/said.ts'
import type { ModelServer } from './served-model.ts'
import { settingsOf, withoutSettings } from './settings-names.ts'

export type ListedModel = { id: string; facts: ModelFacts }
/**
 * `refused`: for a reason that is not the key, in the server's words. `unsure`: it answers without telling. `unknown_model`: where one model was
 * asked for, it has none of that name.
 */
export type Listing =
  | { kind: 'listed'; models: ListedModel[] }
  | { kind: 'key_refused' }
  | { kind: 'unknown_model'; models: string[] }
  | { kind: 'refused'; text: string }
  | { kind: 'unsure'; why: string }
  | { kind: 'unreachable'; why: string }

const answerMs = 10_000
/** Pages of a list that are read; OpenRouter has several hundred models on one. */
const mostPages = 20

type Server = Omit<ModelServer, 'provider'>

/** The address of a server without a slash at its end, or the provider's own. */
export const addressOf = ({ kind, baseUrl }: Pick<Server, 'kind' | 'baseUrl'>): string =>
  (baseUrl ?? (kind === 'anthropic' ? 'https://api.anthropic.com' : 'https://api.openai.com/v1')).replace(
    /(?<!\/)\/+$/,
    '',
  )

/** Reads the whole list of a server's models. @throws only the signal's reason */
export async function listServed(server: Server, signal: AbortSignal): Promise<Listing> {
  const base = addressOf(server)
  if (server.kind !== 'anthropic')
    return withGoogles(await pages(server, `${base}/models`, 'after', signal), server, signal)
  return pages(server, `${base}/v1/models?limit=1000`, 'after_id', signal)
}

/** Follows `has_more` by the last id of each page, as Anthropic and OpenAI do. @param after the name of the parameter */
async function pages(server: Server, first: string, after: string, signal: AbortSignal): Promise<Listing> {
  const models: ListedModel[] = []
  let url = first
  for (let page = 1; page <= mostPages; page++) {
    const answer = await askServer(server, url, signal)
    if ('kind' in answer) return page === 1 ? answer : { kind: 'listed', models }
    const body = fieldsIfAny(answer.body) ?? {}
    const list = body.data ?? (Array.isArray(answer.body) ? answer.body : body.models)
    if (!Array.isArray(list)) return { kind: 'unsure', why: `it lists no models (${answer.status})` }
    models.push(...list.flatMap(modelIn))
    const last = typeof body.last_id === 'string' ? body.last_id : models.at(-1)?.id
    const next = new URL(first)
    next.searchParams.set(after, last ?? '')
    if (body.has_more !== true || last === undefined || next.href === url) break
    url = next.href
  }
  return { kind: 'listed', models: [...new Map(models.map((model) => [model.id, model])).values()] }
}

function modelIn(entry: unknown): ListedModel[] {
  const { id, model_name: byProxy, name, model } = fieldsIfAny(entry) ?? {}
  const found = [id, byProxy, name, model].find((one) => typeof one === 'string' && one !== '')
  return typeof found === 'string' ? [{ id: found, facts: listedFacts(entry) }] : []
}

/** Google's OpenAI form lists names alone, and its own form says more of the same models. */
async function withGoogles(listing: Listing, server: Server, signal: AbortSignal): Promise<Listing> {
  const base = addressOf(server)
  if (!/\/v1(?:alpha|beta)?\/openai$/.test(base) || server.apiKey === undefined) return listing
  if (listing.kind !== 'listed' && listing.kind !== 'unsure') return listing
  const found: ListedModel[] = []
  let token = ''
  for (let page = 1; page <= mostPages; page++) {
    const url = `${base.replace(/\/openai$/, '')}/models?pageSize=1000${token === '' ? '' : `&pageToken=${encodeURIComponent(token)}`}`
    const answer = await askServer(
      { ...server, headers: { ...server.headers, 'x-goog-api-key': server.apiKey } },
      url,
      signal,
      {
        hasKey: false,
      },
    )
    if ('kind' in answer) break
    const { models = [], nextPageToken } = fieldsIfAny(answer.body) ?? {}
    if (!Array.isArray(models)) break
    found.push(...models.flatMap(googlesIn))
    if (typeof nextPageToken !== 'string' || nextPageToken === '' || nextPageToken === token) break
    token = nextPageToken
  }
  const facts = new Map(found.map((model) => [model.id, model.facts]))
  if (listing.kind !== 'listed') return found.length > 0 ? { kind: 'listed', models: found } : listing
  const plain = (id: string) => id.replace(/^models\//, '')
  return {
    kind: 'listed',
    models: listing.models.map(({ id, facts: own }) => ({ id, facts: { ...facts.get(plain(id)), ...own } })),
  }
}

/** Of models that answer in words; Google lists those that make pictures and embeddings beside them. */
function googlesIn(entry: unknown): ListedModel[] {
  const { name, supportedGenerationMethods: methods } = fieldsIfAny(entry) ?? {}
  if (typeof name !== 'string' || (Array.isArray(methods) && !methods.includes('generateContent'))) return []
  return [{ id: name.replace(/^models\//, ''), facts: listedFacts(entry) }]
}

/**
 * What a server says of one of its models: in its list, and at addresses of its own where it is Ollama, LM Studio or llama.cpp. Costs nothing.
 * @returns undefined where it cannot be asked @throws only the signal's reason
 */
export async function servedFacts(
  server: Server & { model: string },
  signal: AbortSignal,
): Promise<ModelFacts | undefined> {
  const [listing, own] = await Promise.all([listServed(server, signal), ownFacts(server, signal)])
  if (listing.kind !== 'listed') return own
  const listed = listing.models.find(({ id }) => isSame(id, server.model))?.facts
  return { ...listed, ...own }
}

/** Ollama takes names without the tag `:latest`, and Gemini without `models/`. */
export const isSame = (listed: string, model: string): boolean =>
  [model, `${model}:latest`, `models/${model}`].includes(listed)

async function ownFacts(server: Server & { model: string }, signal: AbortSignal): Promise<ModelFacts | undefined> {
  if (server.kind !== 'openai-chat' || server.baseUrl === undefined || isCloud(server)) return undefined
  const at = async (path: string, body?: object): Promise<Fields | undefined> => {
    const answer = await askServer(server, new URL(path, server.baseUrl).href, signal, { body })
    return 'kind' in answer ? undefined : fieldsIfAny(answer.body)
  }
  const [loaded, studio, props] = await Promise.all([at('/api/ps'), at('/api/v0/models'), at('/props')])
  // Only Ollama has this list. No other server is sent anything but a GET.
  if (Array.isArray(loaded?.models)) {
    const now = loaded.models.map((one) => fieldsIfAny(one) ?? {})
    const it = now.find(({ name, model }) => [name, model].some((one) => isSame(String(one), server.model)))
    const length = it?.context_length
    const shown = await at('/api/show', { model: server.model })
    return ollamaFacts(shown ?? {}, typeof length === 'number' && length > 0 ? length : undefined)
  }
  const entries: unknown[] = Array.isArray(studio?.data) ? studio.data : []
  const entry = entries.map(fieldsIfAny).find((one) => one !== undefined && isSame(String(one.id), server.model))
  if (entry?.type !== undefined) return listedFacts(entry)
  return props?.default_generation_settings === undefined ? undefined : llamaFacts(props)
}

type Answered = { status: number; body: unknown }

/** Asks a server of models for JSON. Redirects are not followed, because the key goes along. @throws only the signal's reason */
export async function askServer(
  server: Server,
  url: string,
  signal: AbortSignal,
  { body: sent, hasKey = true }: { body?: object; hasKey?: boolean } = {},
): Promise<Answered | Exclude<Listing, { kind: 'listed' }>> {
  const { kind, apiKey, headers = {} } = server
  const { host, hostname } = new URL(url)
  const bearer = { authorization: `Bearer ${apiKey ?? 'none'}` }
  const key =
    kind === 'anthropic'
      ? // Other services with this API, Bedrock for one, take a bearer.
        {
          'x-api-key': apiKey ?? 'none',
          'anthropic-version': '2023-06-01',
          ...(hostname !== 'api.anthropic.com' && bearer),
        }
      : bearer
  const late = AbortSignal.timeout(answerMs)
  try {
    const response = await fetch(url, {
      headers: { ...headers, ...(hasKey && key), ...(sent && { 'content-type': 'application/json' }) },
      ...(sent && { method: 'POST', body: JSON.stringify(sent) }),
      signal: AbortSignal.any([signal, late]),
      redirect: 'error',
    })
    const { status } = response
    const text = await response.text()
    if (response.ok) return { status, body: parsed(text) }
    const secrets = [...(apiKey === undefined ? [] : [apiKey]), ...Object.values(headers)]
    const provider = { name: host, host, ...settingsOf('model'), secrets }
    const body = parsed(text)
    // Only an error in the API's own format means that the model is unknown.
    const isUnknown = status === 404 && fieldsIfAny(fieldsIfAny(body)?.error)?.type === 'not_found_error'
    if (isUnknown) return { kind: 'unknown_model', models: [] }
    return meant(refusal(provider, { status, headers: response.headers, body: parsed(asErrorBody(text)) }), status)
  } catch (error) {
    signal.throwIfAborted()
    return { kind: 'unreachable', why: late.aborted ? `no answer within ${answerMs / 1000} s` : whyUnreachable(error) }
  }
}

/** What a refusal says of the key, by its meaning and not by its number. */
function meant(error: ModelError, status: number): Exclude<Listing, { kind: 'listed' }> {
  if (error.because === 'key' || error.because === 'forbidden') return { kind: 'key_refused' }
  if (error.because === undefined || error.because === 'no_model')
    return { kind: 'unsure', why: `it lists no models (${status})` }
  return { kind: 'refused', text: withoutSettings(error.message) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
