import http from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { ConnectionError, SilentError } from './failure.ts'

const agents = {
  http: new http.Agent({ keepAlive: true, timeout: 30_000 }),
  https: new https.Agent({ keepAlive: true, timeout: 30_000 }),
}

/** Where a model's API takes its requests, and how long it may be silent. */
export type Endpoint = { target: http.RequestOptions; headers: Readonly<Record<string, string>>; idleTimeoutMs: number }

/** `response`: paused, whatever its status. `close` ends the request, or what is left of its answer. */
export type Sent = { response: Promise<http.IncomingMessage>; close(): void }

/** Takes JSON, and a key as both APIs do; a server of one's own needs none. */
export const jsonEndpoint = (at: {
  baseUrl: string
  path: string
  apiKey: string | undefined
  idleTimeoutMs: number
  headers?: Endpoint['headers']
}): Endpoint => ({
  target: urlToHttpOptions(new URL(at.baseUrl.replace(/\/$/, '') + at.path)),
  headers: {
    'content-type': 'application/json',
    'user-agent': 'jarvis',
    authorization: `Bearer ${at.apiKey ?? 'none'}`,
    ...at.headers,
  },
  idleTimeoutMs: at.idleTimeoutMs,
})

/**
 * Sends a body over node:http, for web streams cost too much per token.
 * @throws ConnectionError; SilentError where no byte comes for `idleTimeoutMs`, connecting included. The response's
 * stream fails with the same.
 */
export function post({ target, headers, idleTimeoutMs }: Endpoint, body: Buffer): Sent {
  const isSecure = target.protocol === 'https:'
  const { request: open } = isSecure ? https : http
  const agent = isSecure ? agents.https : agents.http
  let close = (_reason: Error) => {}

  const response = new Promise<http.IncomingMessage>((resolve, reject) => {
    let isClosed = false
    const send = () => {
      let answer: http.IncomingMessage | undefined
      const request = open({
        ...target,
        method: 'POST',
        headers: { ...headers, 'content-length': body.length },
        agent,
        timeout: idleTimeoutMs,
      })
      close = (reason) => {
        isClosed = true
        ;(answer ?? request).destroy(reason)
      }
      request.on('timeout', () => close(new SilentError(`silent for ${idleTimeoutMs / 1000} s`)))
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The server had closed the kept connection before it saw this request.
        const isStale = request.reusedSocket && error.code === 'ECONNRESET' && answer === undefined
        if (isStale && !isClosed) send()
        else reject(error instanceof SilentError ? error : new ConnectionError(error))
      })
      request.on('response', (incoming) => {
        answer = incoming
        // Errors between here and the first reader; a reader finds them in `errored`.
        incoming.on('error', () => {})
        resolve(incoming)
      })
      request.end(body)
    }
    send()
  })
  return { response, close: () => close(new Error('closed')) }
}
