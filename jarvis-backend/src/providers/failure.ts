import { ModelError, type ModelErrorCode } from '../agent/model.ts'
import { isMistrust, whyUnreachable } from '../lib/unreachable.ts'
import type { Usage } from '../protocol/index.ts'

/** Thrown when no byte came for too long. Its wording keeps an SDK from treating it as its own time-out. */
export class SilentError extends Error {}

/** The provider, by the names that a person knows. */
export type Provider = {
  name: string
  host: string
  /** Names of the settings to check. */
  keyName: string
  urlName: string
  /** Key and headers, which are cut out of the provider's messages. */
  secrets: readonly string[]
}

/** A provider's description of a failure; any field may be missing or odd. */
export type Complaint = {
  status?: unknown
  type?: unknown
  code?: unknown
  message?: unknown
  headers?: { get(name: string): string | null | undefined }
}

/** Status of errors that arrive inside a stream with a type instead. */
const statusOfType = new Map<string, number>([
  ['invalid_request_error', 400],
  ['invalid_prompt', 400],
  ['context_length_exceeded', 400],
  ['string_above_max_length', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['insufficient_quota', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['timeout_error', 504],
  ['overloaded_error', 529],
])

/** Reads an error event, which is an object or a sentence. */
export function complaintIn(error: unknown): Complaint {
  const { status, type, code, message } = record(typeof error === 'string' ? { message: error } : error)
  return { status, type, code, message }
}

export function refusal(provider: Provider, complaint: Complaint, usage?: Usage): ModelError {
  const { name, host, keyName } = provider
  const words = [complaint.type, complaint.code].filter((word) => typeof word === 'string')
  const status =
    [complaint.status, complaint.code].find((value) => typeof value === 'number') ??
    words.map((word) => statusOfType.get(word)).find((value) => value !== undefined) ??
    500
  const said = quoted(provider, complaint.message)
  const isTooLong = status < 500 && tooLong.test(`${words.join(' ')} ${said}`)
  const fail = (code: ModelErrorCode, message: string, isRetryable: boolean) => {
    const retryAfterMs = isRetryable ? retryAfter(complaint.headers) : undefined
    return new ModelError(code, message, {
      isRetryable,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(usage !== undefined && { usage }),
      isTooLong: code === 'model_bad_request' && isTooLong,
    })
  }

  const isSpent =
    status === 402 ||
    /insufficient_quota|billing|spend_limit|credits/.test(words.join()) ||
    (status < 500 && /credit balance|usage limit|spend\w{0,10} (cap|limit)/i.test(said))
  if (isSpent)
    return fail('model_quota', `${name} says the quota or credit is used up. Check the plan and billing there.`, false)
  if (status === 401 || status === 403)
    return fail('model_auth', `${name} refused access (HTTP ${status}). Check the key (${keyName}).`, false)
  if (status === 429) return fail('model_rate_limited', `${name} limits the rate of requests. Try again later.`, true)
  if (status === 503 || status === 529) return fail('model_overloaded', `${name} is overloaded. Try again later.`, true)
  if (status >= 500)
    return fail('model_overloaded', `${name} had an error of its own (HTTP ${status}). Try again later.`, true)
  if (status === 408) return fail('model_timeout', `${name} gave up on the request. Try again.`, true)
  const hint = said === '' ? `Check the address (${provider.urlName}) and the model's name.` : said
  return fail('model_bad_request', `${host} refused the request (HTTP ${status}): ${hint}`, false)
}

/** How providers and local servers say that a request does not fit their window. */
const tooLong =
  /context[ _-]?(?:length|window|size)|prompt is too long|input is too long|maximum context|too many (?:input )?tokens|exceeds? (?:the )?(?:available )?context|request_too_large|input length and .?max_tokens|reduce the length/i

/** Translates a failure before the answer began; errors that are not the provider's are returned unchanged. */
export function sendFailure(provider: Provider, error: unknown): unknown {
  if (!isSdkError(error)) return error
  if (error.status !== undefined) return refusal(provider, complaintOf(error))
  if (error.cause instanceof SilentError) return silence(provider, error.cause)
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
  return isConnection ? broken(provider, 'the connection broke', usage) : error
}

export const broken = (provider: Provider, why: string, usage?: Usage, cause?: unknown) =>
  new ModelError('model_stream_broken', `${provider.name} stopped in the middle of its answer: ${why}. Try again.`, {
    isRetryable: true,
    cause,
    ...(usage !== undefined && { usage }),
  })

const silence = (provider: Provider, cause: SilentError, usage?: Usage) =>
  new ModelError('model_timeout', `${provider.name} (${provider.host}) was ${cause.message}. Try again.`, {
    isRetryable: true,
    cause,
    ...(usage !== undefined && { usage }),
  })

/** Common fields of both SDKs' `APIError`. `error` is the whole body in one SDK and the body's `error` in the other. */
type SdkError = Error & { status: unknown; headers: Complaint['headers']; error: unknown }

const isSdkError = (error: unknown): error is SdkError =>
  error instanceof Error && 'status' in error && 'headers' in error

function complaintOf({ status, headers, error }: SdkError): Complaint {
  const body = record(error)
  const inner = { ...body, ...record(body.error) }
  const details = record(inner.details)
  return {
    status,
    ...(headers !== undefined && { headers }),
    type: inner.type,
    code: inner.code ?? details.error_code,
    message: inner.message ?? (typeof error === 'string' ? error : undefined),
  }
}

const record = (value: unknown) => (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>

function quoted({ secrets }: Provider, message: unknown): string {
  if (typeof message !== 'string') return ''
  const safe = secrets.reduce((text, secret) => (secret === '' ? text : text.replaceAll(secret, '[key]')), message)
  return safe.replace(/\s+/g, ' ').trim().slice(0, 300).toWellFormed()
}

/** @returns milliseconds to wait, from `retry-after-ms`, or `retry-after` in seconds or as a date */
function retryAfter(headers: Complaint['headers']): number | undefined {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '')
  if (ms >= 0) return ms
  const text = headers?.get('retry-after') ?? ''
  if (/^\s*\d+(\.\d+)?\s*$/.test(text)) return Number.parseFloat(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
