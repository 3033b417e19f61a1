import { whyUnreachable } from '../lib/unreachable.ts'
import type { ModelServer } from './served-model.ts'

/** Whether a server knows the key and the model. `unsure`: it answers without telling. `models`: the ones it lists. */
export type ModelAnswer =
  | { kind: 'served' }
  | { kind: 'unknown_model'; models: string[] }
  | { kind: 'key_refused' }
  | { kind: 'unsure'; why: string }
  | { kind: 'unreachable'; why: string }

const answerMs = 10_000
/** Most models that are returned; OpenRouter lists several hundred. */
const mostNamed = 1_000

/** Reads the server's list of models, which costs nothing and asks no model. @throws only the signal's reason */
export async function askAboutModel(
  server: Omit<ModelServer, 'provider'> & { model: string },
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const { kind, model, apiKey, headers = {} } = server
  const isAnthropic = kind === 'anthropic'
  const base = (server.baseUrl ?? (isAnthropic ? 'https://api.anthropic.com' : 'https://api.openai.com/v1')).replace(
    /(?<!\/)\/+$/,
    '',
  )
  const isOwn = new URL(base).hostname === 'api.anthropic.com'
  // Aliases are missing from Anthropic's list but can be looked up by name.
  const url = isAnthropic ? `${base}/v1/models/${encodeURIComponent(model)}` : `${base}/models`
  const key: Record<string, string> = isAnthropic
    ? // Other services with this API, Bedrock for one, take a bearer.
      { 'x-api-key': apiKey ?? 'none', ...(!isOwn && { authorization: `Bearer ${apiKey ?? 'none'}` }) }
    : { authorization: `Bearer ${apiKey ?? 'none'}` }
  const late = AbortSignal.timeout(answerMs)
  let response: Response
  let body: unknown
  try {
    response = await fetch(url, {
      headers: { ...headers, ...key, ...(isAnthropic && { 'anthropic-version': '2023-06-01' }) },
      signal: AbortSignal.any([signal, late]),
      redirect: 'error',
    })
    body = await response.json().catch(() => undefined)
  } catch (error) {
    signal.throwIfAborted()
    return { kind: 'unreachable', why: late.aborted ? `no answer within ${answerMs / 1000} s` : whyUnreachable(error) }
  }
  if (response.status === 401 || response.status === 403) return { kind: 'key_refused' }
  if (isAnthropic) {
    if (response.ok) return { kind: 'served' }
    // Only an error in the API's own format means that the model is unknown.
    const type = (body as { error?: { type?: unknown } } | undefined)?.error?.type
    if (response.status === 404 && type === 'not_found_error') return { kind: 'unknown_model', models: [] }
    return { kind: 'unsure', why: `it answers ${response.status}` }
  }
  const list = (body as { data?: unknown } | undefined)?.data
  if (!response.ok || !Array.isArray(list)) return { kind: 'unsure', why: `it lists no models (${response.status})` }
  const ids = list.map((item: { id?: unknown } | null) => String(item?.id))
  // Ollama accepts names without the tag `:latest`, and Gemini without `models/`.
  const isServed = [model, `${model}:latest`, `models/${model}`].some((id) => ids.includes(id))
  return isServed ? { kind: 'served' } : { kind: 'unknown_model', models: ids.slice(0, mostNamed) }
}
