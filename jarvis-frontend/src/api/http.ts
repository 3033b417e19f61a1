import type { ErrorBody } from 'protocol'

/** A failed call. `code`: the server's code, or `unreachable` if JARVIS did not answer. */
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

/** The sign-in of a person. `token`: undefined if a cookie holds it, which scripts cannot read. */
type Holder = { token?: string }

let holder: () => Holder | undefined = () => undefined
let onSignedOut = () => {}
let askForPassword: () => Promise<boolean> = async () => false

/** Sets how to read the current sign-in, what to do when the server no longer accepts it, and how to ask for the password again. */
export function setCredentials(source: typeof holder, signedOut: typeof onSignedOut, ask: typeof askForPassword): void {
  holder = source
  onSignedOut = signedOut
  askForPassword = ask
}

/** The token; undefined if nobody is signed in or a cookie holds it. */
export const bearer = (): string | undefined => holder()?.token

/** The authorization header for requests that do not use `call`. */
export function authorization(): Record<string, string> {
  const token = bearer()
  return token === undefined ? {} : { Authorization: `Bearer ${token}` }
}

type Asked = [
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  options?: Pick<RequestInit, 'keepalive'>,
]

/**
 * Makes a REST call. If the server asks for the password, asks the person and repeats the call. @throws ApiError on anything but a JSON or empty 2xx
 * answer
 */
export const call = <T>(...asked: Asked): Promise<T> => withPassword(() => once<T>(...asked))

/**
 * Runs `attempt`. If the server asks for the password, asks the person and runs `attempt` again. @throws ApiError any error of `attempt`;
 * `step_up_required` if the person gave no password
 */
export async function withPassword<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt()
  } catch (error) {
    const isAsked = (error as { code?: unknown }).code === 'step_up_required'
    if (!isAsked || !(await askForPassword())) throw error
    return await attempt()
  }
}

async function once<T>(...[method, path, body, options = {}]: Asked): Promise<T> {
  const headers = authorization()
  const asking = holder()
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const response = await fetch(path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...options,
  }).catch(unreached)
  const text = await response.text().catch(unreached)
  if (response.ok) return (text === '' ? undefined : parse(text)) as T
  const { code, message } = errorIn(parse(text))
  const isSignedOut = code === 'unauthorized' || code === 'token_expired'
  // An error for an earlier sign-in does not end the present one.
  if (isSignedOut && asking === holder()) onSignedOut()
  const retryAfterS = Number(response.headers.get('Retry-After'))
  throw new ApiError(code, message, retryAfterS > 0 ? retryAfterS : undefined)
}

function unreached(): never {
  throw new ApiError('unreachable', 'JARVIS could not be reached. Is it running?')
}

const foreign = () => new ApiError('unreachable', 'The answer could not be read. Is this the right address?')

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw foreign()
  }
}

/** Returns the server's error. @throws ApiError `unreachable` if the answer is not from JARVIS, but for example from a proxy */
function errorIn(body: unknown): ErrorBody['error'] {
  const error = (body as Partial<ErrorBody> | null)?.error
  if (typeof error?.code !== 'string') throw foreign()
  return error
}
