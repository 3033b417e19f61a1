import http from 'node:http'
import https from 'node:https'
import { refusedByProxy } from '../lib/tunnel.ts'
import { agentTo, proxyOf } from '../lib/way-out.ts'
import { SilentError } from './failure.ts'
import { asErrorBody } from './refusals/said.ts'
import { type Signer, signedHeaders } from './signers/index.ts'

const agents = {
  http: new http.Agent({ keepAlive: true, timeout: 30_000 }),
  https: new https.Agent({ keepAlive: true, timeout: 30_000 }),
}

/** Maximum length of an error's body that is read, characters. */
const maxErrorChars = 64_000

/**
 * The part of `fetch` that the model SDKs use, over node:http, because web streams are too slow per token. For a 2xx, `body` is the paused
 * `IncomingMessage`; other answers have `text()`, which returns the body of the refusal in the form of `asErrorBody`.
 * @param idleTimeoutMs fails with `SilentError` after this time without a byte, connecting included
 * @param signer replaces the headers that would carry the key
 */
export const nodeFetch =
  (idleTimeoutMs: number, signer?: Signer) =>
  (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const target = new URL(typeof url === 'object' && 'url' in url ? url.url : url)
    const isSecure = target.protocol === 'https:'
    const given = Object.fromEntries(init.headers instanceof Headers ? init.headers : new Headers(init.headers))
    // Encode the body once: node:http would measure a string, flatten it and encode it again.
    const body = typeof init.body === 'string' ? Buffer.from(init.body) : init.body
    const { method = 'GET', signal } = init

    const attempt = (headers: Record<string, string>): Promise<Response> =>
      new Promise((resolve, reject) => {
        let response: http.IncomingMessage | undefined
        const proxy = proxyOf(target)
        const isAsked = proxy !== undefined && !isSecure
        const { request: open } = (isAsked ? proxy.isSecure : isSecure) ? https : http
        const own = isSecure ? agents.https : agents.http
        // A request over http sends the whole URL to the proxy. A request over https uses a tunnel that the proxy opens.
        const way = isAsked
          ? {
              host: proxy.host,
              port: proxy.port,
              path: target.href,
              agent: proxy.isSecure ? agents.https : agents.http,
              headers: {
                ...headers,
                host: target.host,
                ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }),
              },
            }
          : { headers, agent: agentTo(target) ?? own }
        const options = { method, timeout: idleTimeoutMs, ...way }
        const request = isAsked ? open(options) : open(target, options)
        const close = (reason: Error) => (response ?? request).destroy(reason)
        const abort = () => close(new DOMException('Aborted', 'AbortError'))
        signal?.addEventListener('abort', abort, { once: true })
        request.on('timeout', () => close(new SilentError(`silent for ${idleTimeoutMs / 1000} s`)))
        request.on('close', () => signal?.removeEventListener('abort', abort))
        request.on('error', (error: NodeJS.ErrnoException) => {
          // The server had closed the kept-alive connection before this request arrived, so the request is sent again.
          const isStale = request.reusedSocket && error.code === 'ECONNRESET' && response === undefined
          if (isStale && signal?.aborted !== true) resolve(attempt(headers))
          else reject(error)
        })
        request.on('response', (incoming) => {
          response = incoming
          // Catches errors before a reader is attached; the reader finds them in `errored`.
          incoming.on('error', () => {})
          const status = incoming.statusCode ?? 0
          if (isAsked && isOfProxy(status, incoming.headers['content-type'])) {
            incoming.destroy()
            return reject(refusedByProxy(proxy, status, target.host))
          }
          if (status === 401) signer?.refused?.()
          const ok = status >= 200 && status < 300
          const head = { ok, status, url: target.href, headers: new Map(Object.entries(incoming.headers)) }
          if (ok) resolve({ ...head, body: incoming } as unknown as Response)
          else
            text(incoming).then(
              (body) => resolve({ ...head, body: null, text: async () => asErrorBody(body) } as unknown as Response),
              reject,
            )
        })
        request.end(body)
        if (signal?.aborted) abort()
      })
    if (signer === undefined) return attempt(given)
    return signedHeaders(signer, { method, url: target, headers: given, body: body as Buffer }).then(attempt)
  }

/** True if the HTTP proxy refused the request. The model's server would refuse in JSON. */
const isOfProxy = (status: number, type = ''): boolean =>
  status === 407 || ([403, 502, 503, 504].includes(status) && !type.includes('json'))

/**
 * Reads the number of tokens that a provider counted in a request. @param response of `nodeFetch`, 2xx. @throws TypeError if the answer holds no
 * number
 */
export async function countIn(response: Response): Promise<number> {
  const { input_tokens: tokens } = JSON.parse(await text(response.body as unknown as http.IncomingMessage))
  if (typeof tokens !== 'number') throw new TypeError('The provider counted nothing.')
  return tokens
}

function text(response: http.IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let read = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      if (read.length < maxErrorChars) read += chunk
    })
    response.on('end', () => resolve(read))
    response.on('error', reject)
  })
}
