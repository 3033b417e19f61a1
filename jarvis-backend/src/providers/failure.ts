import type { Usage } from 'protocol'
import { ModelError } from '../agent/model.ts'
import { faultAtProxy, isMistrust, whyUnreachable } from '../lib/unreachable.ts'
import { limitsIn, meaningOf, statusOf } from './refusals/meaning.ts'
import { outcomeOf } from './refusals/outcomes.ts'
import { saidBy } from './refusals/said.ts'
import { waitOf } from './refusals/wait.ts'

/** Thrown if no byte came within the time limit. Its message avoids words by which an SDK would take it for the SDK's own time-out. */
export class SilentError extends Error {}

/** The provider, by the names that a person knows. */
export type Provider = {
  name: string
  host: string
  /** Names of the settings that a person should check, for messages. */
  keyName: string
  urlName: string
  modelName?: string
  /** The key and the values of headers. They are removed from the provider's messages. */
  secrets: readonly string[]
}

/** A provider's description of a failure; any field may be missing or odd. `body`: the whole of it. */
export type Complaint = {
  status?: unknown
  type?: unknown
  code?: unknown
  message?: unknown
  body?: unknown
  headers?: { get(name: string): string | null | undefined }
}

/** Reads an error event, which is an object or a sentence. */
export function complaintIn(error: unknown): Complaint {
  const { status, type, code, message } = record(typeof error === 'string' ? { message: error } : error)
  return { status, type, code, message, body: error }
}

export function refusal(provider: Provider, complaint: Complaint, usage?: Usage): ModelError {
  const { headers, type, code, message, body = { type, code, message } } = complaint
  const { text, words } = saidBy(body)
  const kind = headers?.get('x-amzn-errortype')?.split(':')[0]
  if (typeof kind === 'string') words.unshift(kind)
  const status = statusOf(complaint, words)
  const heard = `${words.join(' ')} ${text}`
  const because = meaningOf(heard, status, provider.host)
  const { code: as, isRetryable, told } = outcomeOf(because, status)
  const said = quoted(provider, text)
  const isWorthIt = isRetryable && headers?.get('x-should-retry') !== 'false'
  const retryAfterMs = isWorthIt ? waitOf({ headers, body, said: text }, Date.now()) : undefined
  return new ModelError(as, told({ ...provider, status, tail: said === '' ? '.' : `: ${sentence(said)}` }), {
    isRetryable: isWorthIt,
    retryAfterMs,
    usage,
    isTooLong: because === 'too_long' || because === 'plan',
    isBare: status === 400 && heard.trim() === '',
    because,
    limits: limitsIn(heard, because),
  })
}

/** Translates a failure that came before the answer began. Returns errors that are not from the provider unchanged. */
export function sendFailure(provider: Provider, error: unknown): unknown {
  if (!isSdkError(error)) return error
  if (error.status !== undefined) return refusal(provider, complaintOf(error))
  if (error.cause instanceof SilentError) return silence(provider, error.cause)
  if (error.cause instanceof ModelError) return error.cause
  const atProxy = faultAtProxy(error.cause)
  if (atProxy !== undefined)
    return new ModelError(
      'model_unreachable',
      `Cannot reach ${provider.host}: ${atProxy.message}. Check the proxy, or name ${provider.host} in NO_PROXY.`,
      { isRetryable: !atProxy.isLasting, cause: error.cause },
    )
  const why = whyUnreachable(error.cause)
  return new ModelError(
    'model_unreachable',
    `Cannot reach ${provider.host}: ${why}. Check that it runs, and the address (${provider.urlName}).`,
    { isRetryable: !isMistrust(why), cause: error.cause },
  )
}

/** Translates a failure while the answer streamed. */
export function streamFailure(provider: Provider, error: unknown, usage?: Usage): unknown {
  if (error instanceof SilentError) return silence(provider, error, usage)
  const isConnection = error instanceof Error && 'code' in error && !(error instanceof ModelError)
  return isConnection ? broken(provider, 'the connection broke', { usage }) : error
}

/** @param more.usage the tokens of the broken answer, as far as they were counted */
export const broken = (provider: Provider, why: string, more: { usage?: Usage | undefined; cause?: unknown } = {}) =>
  new ModelError('model_stream_broken', `${provider.name} stopped in the middle of its answer: ${why}. Try again.`, {
    isRetryable: true,
    cause: more.cause,
    usage: more.usage,
  })

const silence = (provider: Provider, cause: SilentError, usage?: Usage) =>
  new ModelError('model_timeout', `${provider.name} (${provider.host}) was ${cause.message}. Try again.`, {
    isRetryable: true,
    cause,
    usage,
  })

/** Common fields of both SDKs' `APIError`. `error` is the whole body in one SDK and the body's `error` in the other. */
type SdkError = Error & { status: unknown; headers: Complaint['headers']; error: unknown }

const isSdkError = (error: unknown): error is SdkError =>
  error instanceof Error && 'status' in error && 'headers' in error

function complaintOf({ status, headers, error }: SdkError): Complaint {
  return { ...complaintIn(error), status, ...(headers !== undefined && { headers }) }
}

const record = (value: unknown) => (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>

function quoted({ secrets }: Provider, text: string): string {
  const safe = secrets.reduce((kept, secret) => (secret === '' ? kept : kept.replaceAll(secret, '[key]')), text)
  return safe.replace(/\s+/g, ' ').trim().slice(0, 300).toWellFormed()
}

const sentence = (said: string): string => (/[.!?…]$/.test(said) ? said : `${said}.`)
