/** Every error a client can meet, and its HTTP status. The same codes go into Socket.IO acknowledgements. */
export const errorStatus = {
  invalid_request: 400,
  unauthorized: 401,
  token_expired: 401,
  invalid_credentials: 401,
  forbidden: 403,
  /** The token is good, and this asks for the password again: `POST /api/auth/step-up`. */
  step_up_required: 403,
  not_found: 404,
  unknown_session: 404,
  unknown_confirmation: 404,
  already_decided: 409,
  conflict: 409,
  expired: 410,
  message_too_large: 413,
  too_many_requests: 429,
  internal: 500,
  cluster_unreachable: 502,
  /** The cluster answered, and does not do it. */
  cluster_refused: 502,
  /** It was asked for, and no answer came: it may have been done. */
  outcome_unknown: 504,
  shutting_down: 503,
  storage_failed: 507,
} as const

export type ErrorCode = keyof typeof errorStatus

/** What we can name. `message` is for a person and says what to do; it is sent to clients as it is. */
export class JarvisError extends Error {
  readonly code: ErrorCode
  /** Seconds after which trying again makes sense. */
  readonly retryAfterS: number | undefined

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; retryAfterS?: number } = {}) {
    super(message, { cause: options.cause })
    this.name = 'JarvisError'
    this.code = code
    this.retryAfterS = options.retryAfterS
  }
}

export type ErrorBody = { error: { code: ErrorCode; message: string } }
