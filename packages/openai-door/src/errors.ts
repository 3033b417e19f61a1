import { type ErrorCode, errorStatus, JarvisError } from 'protocol'

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'rate_limit_error'
  | 'server_error'

/** The body of an error in the form of OpenAI's API. `param`: the field that is wrong. */
export type ErrorBody = { error: { message: string; type: ErrorType; param: string | null; code: string } }

/** `status`: the HTTP status. */
type ApiErrorOptions = {
  status: number
  param?: string
  retryAfterS?: number | undefined
  isFinal?: boolean
  cause?: unknown
}

/** A failure of a request to `/v1`. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly param: string | null
  readonly retryAfterS: number | undefined
  /** True: the client should not repeat the request by itself. */
  readonly isFinal: boolean

  constructor(code: string, message: string, options: ApiErrorOptions) {
    super(message, { cause: options.cause })
    this.name = 'ApiError'
    this.status = options.status
    this.code = code
    this.param = options.param ?? null
    this.retryAfterS = options.retryAfterS
    this.isFinal = options.isFinal === true
  }
}

/** Returns the error for a field that is not valid. */
export const badField = (param: string, message: string, code = 'invalid_request') =>
  new ApiError(code, message, { status: 400, param })

/** Translates a failure to an ApiError; undefined if it is a fault of JARVIS that must be reported. */
export function toApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (!(error instanceof JarvisError) || error.code === 'internal') return undefined
  const { code, message, retryAfterS } = error
  return new ApiError(code, message, { status: statusOf(code), retryAfterS, cause: error })
}

/** Returns the status of an error. A 409 becomes a 400, because clients repeat a request after a 409. */
const statusOf = (code: ErrorCode) => (errorStatus[code] === 409 ? 400 : errorStatus[code])

/** Returns the error for a failed run. It is final: an immediate repetition would not help. JARVIS has already tried again if that could help. */
export function failureOf(code: string, message: string): ApiError {
  return new ApiError(code, message, { status: runStatus.get(code) ?? 500, isFinal: true })
}
const runStatus = new Map([
  ['model_rate_limited', 429],
  ['model_quota', 429],
  ['model_overloaded', 503],
  ['model_unreachable', 502],
  ['model_auth', 502],
  // The provider refused the request because of its content, and most of the content is from the client.
  ['model_bad_request', 400],
  ['model_unfit', 502],
  ['model_stream_broken', 502],
  ['model_mute', 502],
  ['model_timeout', 504],
  ['unknown_agent', 404],
  ['storage_failed', 507],
])

export const bodyOf = ({ status, code, message, param }: ApiError): ErrorBody => ({
  error: { message, type: typeOf(status), param, code },
})

const typeOf = (status: number): ErrorType => {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}
