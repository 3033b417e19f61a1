/** Every error code that clients can receive, with its HTTP status. Socket.IO acknowledgements use the same codes. */
export const errorStatus = {
  invalid_request: 400,
  unauthorized: 401,
  token_expired: 401,
  invalid_credentials: 401,
  /** The password is right, and a code of the second factor is required. */
  second_factor_required: 401,
  forbidden: 403,
  /** The token is valid, but this request requires the password again: `POST /api/auth/step-up`. */
  step_up_required: 403,
  /** The card's approval must be signed: `POST /api/confirmations/:id/challenge`. */
  proof_required: 403,
  /** The signature is not accepted; `message` says why. */
  proof_refused: 403,
  not_found: 404,
  unknown_session: 404,
  /** There is no such agent, or its model is not configured any more. */
  unknown_agent: 404,
  unknown_confirmation: 404,
  already_decided: 409,
  conflict: 409,
  expired: 410,
  message_too_large: 413,
  too_many_requests: 429,
  internal: 500,
  cluster_unreachable: 502,
  /** The cluster answered and refused the request. */
  cluster_refused: 502,
  /** The request was sent and got no answer, so it may have taken effect. */
  outcome_unknown: 504,
  shutting_down: 503,
  storage_failed: 507,
} as const

export type ErrorCode = keyof typeof errorStatus

/** A failure with a code. `message` tells a person what happened and what to do; clients receive it unchanged. */
export class JarvisError extends Error {
  readonly code: ErrorCode
  /** Seconds until a retry makes sense. */
  readonly retryAfterS: number | undefined

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; retryAfterS?: number } = {}) {
    super(message, { cause: options.cause })
    this.name = 'JarvisError'
    this.code = code
    this.retryAfterS = options.retryAfterS
  }
}

export type ErrorBody = { error: { code: ErrorCode; message: string } }
