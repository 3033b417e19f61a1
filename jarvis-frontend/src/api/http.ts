import type { ErrorBody } from 'jarvis-backend/protocol'

/** What the server, or the way to it, refused. `code` is the wire's, or `unreachable`. */
export class ApiError extends Error {
  readonly code: string
  readonly retryAfterS: number | undefined

  constructor(code: string, message: string, retryAfterS?: number) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.retryAfterS = retryAfterS
  }
}

let token: () => string | undefined = () => undefined
let onSignedOut = () => {}

/** Says where the token comes from, and what to do when the server takes it no more. */
export function setCredentials(source: typeof token, signedOut: typeof onSignedOut): void {
  token = source
  onSignedOut = signedOut
}

/** For what is fetched by other means. */
export const bearer = (): string | undefined => token()

/** @throws ApiError on anything but a 2xx answer. */
export async function call<T>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  options: Pick<RequestInit, 'keepalive'> = {},
): Promise<T> {
  const headers: Record<string, string> = {}
  const shown = token()
  if (shown !== undefined) headers.Authorization = `Bearer ${shown}`
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const response = await fetch(path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...options,
  }).catch(() => {
    throw new ApiError('unreachable', 'JARVIS could not be reached. Is it running?')
  })
  const text = await response.text()
  if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as T
  const error = readError(text)
  const isSignedOut = error.code === 'unauthorized' || error.code === 'token_expired'
  // An answer to the token before this one says nothing of this one.
  if (isSignedOut && shown === token()) onSignedOut()
  const retryAfterS = Number(response.headers.get('Retry-After'))
  throw new ApiError(error.code, error.message, retryAfterS > 0 ? retryAfterS : undefined)
}

function readError(text: string): { code: string; message: string } {
  try {
    return (JSON.parse(text) as ErrorBody).error
  } catch {
    return { code: 'unreachable', message: 'The answer could not be read. Is this the right address?' }
  }
}
