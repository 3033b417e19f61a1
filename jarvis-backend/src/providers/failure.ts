import { ModelError, type ModelErrorCode } from '../agent/model.ts'
import { isMistrust, whyUnreachable } from '../lib/unreachable.ts'
import type { Usage } from '../protocol/index.ts'

/** No byte came for too long. Worded so that an SDK does not take it for a time-out of its own. */
export class SilentError extends Error {}

/** Who answers, in the words a person knows it by. */
export type Provider = {
  name: string
  host: string
  /** The settings a person would look at. */
  keyName: string
  urlName: string
  /** Cut out of whatever the provider says. */
  secret: string | undefined
}

/** What a provider said of a failure; any of it may be missing or odd. */
export type Complaint = {
  status?: unknown
  type?: unknown
  code?: unknown
  message?: unknown
  headers?: { get(name: string): string | null | undefined }
}

/** Errors that arrive inside a stream have a word instead of a status. */
const statusOfType = new Map<string, number>([
  ['invalid_request_error', 400],
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

/** What an error among a stream's events says: one object, or one sentence. */
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
  const fail = (code: ModelErrorCode, message: string, isRetryable: boolean) => {
    const retryAfterMs = isRetryable ? retryAfter(complaint.headers) : undefined
    return new ModelError(code, message, {
      isRetryable,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(usage !== undefined && { usage }),
    })
  }

  const isSpent =
    status === 402 ||
    /insufficient_quota|billing|spend_limit|credits/.test(words.join()) ||
    (status < 500 && /credit balance|usage limit|spend\w* (cap|limit)/i.test(said))
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

/** What went wrong before an answer began. Whatever is no failure of the provider's comes back as it is. */
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

/** What went wrong while the answer streamed. */
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

/** What both SDKs' `APIError` have in common. `error` is the whole body in one, its `error` in the other. */
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

function quoted({ secret }: Provider, message: unknown): string {
  if (typeof message !== 'string') return ''
  const safe = !secret ? message : message.replaceAll(secret, '[key]')
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
