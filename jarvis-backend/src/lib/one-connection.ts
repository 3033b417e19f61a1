import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type NetConnectOpts } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

export type Asked = { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal }
/** Sends a request. @throws Error if the request failed; the signal’s reason */
export type Ask = (address: string, asked: Asked) => Promise<Response>

/** Sends all requests over one connection. When the connection has ended, further requests fail. */
export function oneConnection(): { ask: Ask; end(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let isOpen = false
  Object.assign(agent, {
    createConnection(options: NetConnectOpts, told: (error: Error) => void) {
      if (isOpen) return void told(new Error('The connection ended, and another one may lead elsewhere.'))
      isOpen = true
      return connect(options)
    },
  })
  async function ask(address: string, { method = 'GET', headers, body, signal }: Asked): Promise<Response> {
    const sent = request(address, { method, headers, agent, ...(signal && { signal }) })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    sent.on('error', (error) => answer.destroy(error))
    const status = answer.statusCode ?? 500
    const hasBody = status !== 204 && status !== 304
    if (!hasBody) answer.resume()
    return new Response(hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null, {
      status,
      headers: Object.entries(answer.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((one): [string, string] => [name, one]),
      ),
    })
  }
  return { ask, end: () => agent.destroy() }
}
