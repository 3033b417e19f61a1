import type { ModelError } from '../agent/model.ts'
import { whyUnreachable } from '../lib/unreachable.ts'
import { refusal } from './failure.ts'
import { fieldsIfAny } from './fields.ts'
import type { AskedServer, ModelServer, NotListed } from './model-api.ts'
import { addressOf, modelApis } from './model-apis.ts'
import { asErrorBody } from './refusals/said.ts'
import { settingsOf, withoutSettings } from './settings-names.ts'

const answerMs = 10_000

/** Creates the requests to a server about its models. They follow no redirects, because each request carries the key. */
export function askedServer(server: Omit<ModelServer, 'provider'>, signal: AbortSignal): AskedServer {
  const { kind, apiKey, headers = {} } = server
  const ask: AskedServer['ask'] = async (url, { body: sent, headers: more, hasKey = true } = {}) => {
    const { host, hostname } = new URL(url)
    const late = AbortSignal.timeout(answerMs)
    try {
      const response = await fetch(url, {
        headers: {
          ...headers,
          ...more,
          ...(hasKey && modelApis[kind].keyHeaders(apiKey ?? 'none', hostname)),
          ...(sent && { 'content-type': 'application/json' }),
        },
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
      // A 404 means an unknown model only if the error is in the API's own format.
      const isUnknown = status === 404 && fieldsIfAny(fieldsIfAny(body)?.error)?.type === 'not_found_error'
      if (isUnknown) return { kind: 'unknown_model', models: [] }
      return meant(refusal(provider, { status, headers: response.headers, body: parsed(asErrorBody(text)) }), status)
    } catch (error) {
      signal.throwIfAborted()
      return {
        kind: 'unreachable',
        why: late.aborted ? `no answer within ${answerMs / 1000} s` : whyUnreachable(error),
      }
    }
  }
  return { address: addressOf(server), apiKey, ask }
}

/** Translates a refusal by its meaning, because several refusals share one HTTP status. */
function meant(error: ModelError, status: number): NotListed {
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
