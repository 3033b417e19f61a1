import { ModelError } from '../agent/model.ts'
import { whyUnreachable } from '../lib/unreachable.ts'
import { refusal } from './failure.ts'
import { fieldsIfAny } from './fields.ts'
import type { AskedServer, ModelServer, NotListed } from './model-api.ts'
import { addressOf, modelApis } from './model-apis.ts'
import { asErrorBody } from './refusals/said.ts'
import { settingsOf, withoutSettings } from './settings-names.ts'
import { secretsOfKey, signedHeaders, signerOf } from './signers/index.ts'

const answerMs = 10_000

/** Creates the requests to a server about its models. They follow no redirects, because each request carries the key. */
export function askedServer(server: Omit<ModelServer, 'provider'>, signal: AbortSignal): AskedServer {
  const { kind, apiKey, headers = {}, unfilled } = server
  const signer = signerOf(apiKey)
  const ask: AskedServer['ask'] = async (url, { body: sent, headers: more, hasKey = true } = {}) => {
    const { host, hostname } = new URL(url)
    const late = AbortSignal.timeout(answerMs)
    if (unfilled !== undefined) return { kind: 'refused', text: unfilled }
    try {
      const method = sent === undefined ? 'GET' : 'POST'
      const body = sent && JSON.stringify(sent)
      const plain = {
        ...headers,
        ...more,
        ...(hasKey && modelApis[kind].keyHeaders(signer === undefined ? (apiKey ?? 'none') : 'none', hostname)),
        ...(sent && { 'content-type': 'application/json' }),
      }
      const response = await fetch(url, {
        method,
        headers:
          signer !== undefined && hasKey
            ? await signedHeaders(signer, { method, url: new URL(url), headers: plain, body })
            : plain,
        ...(body !== undefined && { body }),
        signal: AbortSignal.any([signal, late]),
        redirect: 'error',
      })
      const { status } = response
      const text = await response.text()
      if (response.ok) return { status, body: parsed(text) }
      const secrets = [...secretsOfKey(apiKey, signer), ...Object.values(headers)]
      const provider = { name: host, host, ...settingsOf('model'), secrets }
      const answered = parsed(text)
      // A 404 means an unknown model only if the error is in the API's own format.
      const isUnknown = status === 404 && fieldsIfAny(fieldsIfAny(answered)?.error)?.type === 'not_found_error'
      if (isUnknown) return { kind: 'unknown_model', models: [] }
      return meant(refusal(provider, { status, headers: response.headers, body: parsed(asErrorBody(text)) }), status)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ModelError && error.code === 'model_auth') return { kind: 'refused', text: error.message }
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
