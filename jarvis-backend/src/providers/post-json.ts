import { nodeFetch } from './node-fetch.ts'

/** A refusal or a failed connection. It has the fields of the SDKs' errors, which `sendFailure` translates. */
class PostError extends Error {
  readonly status: number | undefined
  readonly headers: Response['headers'] | undefined
  /** The body of the refusal. */
  readonly error: unknown

  constructor(refused?: Response, body?: unknown, cause?: unknown) {
    super('The request failed.', { cause })
    this.status = refused?.status
    this.headers = refused?.headers
    this.error = body
  }
}

/** `idleTimeoutMs`: maximum time without a byte, ms. */
export type PostOptions = { headers: Readonly<Record<string, string>>; body: object; idleTimeoutMs: number }

/**
 * Sends JSON to a server whose API has no SDK, for `exchange`.
 * @returns an answer of 2xx, whose body is not read yet @throws PostError, which `exchange` translates
 */
export async function postJson(url: string, options: PostOptions, signal: AbortSignal): Promise<Response> {
  const response = await nodeFetch(options.idleTimeoutMs)(url, {
    method: 'POST',
    headers: { ...options.headers, 'content-type': 'application/json' },
    body: JSON.stringify(options.body),
    signal,
  }).catch((cause: unknown) => {
    throw new PostError(undefined, undefined, cause)
  })
  if (response.ok) return response
  throw new PostError(response, JSON.parse(await response.text()))
}
