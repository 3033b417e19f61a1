import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type ErrorBody, type ErrorCode, JarvisError } from 'protocol'
import type { Ask, Asked } from '../../lib/one-connection.ts'

/** A request that the server refused, in the server's words, or that was not sent, with the reason. */
export class ServerRefused extends JarvisError {}

export type RemoteEvent = { id?: string; event: string; data: unknown }

/** A JARVIS that is used over HTTP with the rights of a token. */
export type Remote = {
  url: string
  get<T>(path: string): Promise<T>
  send<T>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T>
  /** The lines of a long answer, as they arrive. */
  lines(path: string): AsyncGenerator<string>
  /**
   * A stream of events. A broken stream is opened again after its last event. @throws JarvisError `not_found` if the server is away for longer than
   * a minute, or the server's refusal
   */
  events(path: string, options?: { after?: number; signal?: AbortSignal }): AsyncGenerator<RemoteEvent>
  /** Sends an MCP request and returns its result. @throws JarvisError if it has no result */
  mcp<T>(request: object, headers: Record<string, string>): Promise<T>
  /** The same server, used with another token. */
  as(token: string): Remote
}

/** Time that a server may be away, such as for a restart, ms. */
const mostGoneMs = 60_000

/**
 * @param token undefined: requests carry no token @param ask sends requests to a server that must prove its identity first, because a request may
 * contain a token or a password
 */
export function createRemote(url: string, token: string | undefined, ask: Ask = fetch): Remote {
  const headers = (more: Record<string, string> = {}) => ({
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...more,
  })
  async function fetched(path: string, init: Asked): Promise<Response> {
    let response: Response
    try {
      response = await ask(new URL(`${url}/api/${path}`).href, init)
    } catch (cause) {
      init.signal?.throwIfAborted()
      if (cause instanceof JarvisError) throw cause
      throw nobodyAt(url, cause)
    }
    if (!response.ok) throw await refusalOf(response)
    return response
  }
  async function* pieces(response: Response): AsyncGenerator<string> {
    const text = new TextDecoder()
    for await (const bytes of response.body ?? []) yield text.decode(bytes as Uint8Array, { stream: true })
  }

  return {
    url,
    get: async <T>(path: string) => (await (await fetched(path, { headers: headers() })).json()) as T,
    async send<T>(method: string, path: string, body: object = {}) {
      const init = { method, headers: headers({ 'content-type': 'application/json' }), body: JSON.stringify(body) }
      const response = await fetched(path, init)
      return (response.status === 204 ? undefined : await response.json()) as T
    },
    async *lines(path) {
      let rest = ''
      for await (const piece of pieces(await fetched(path, { headers: headers() }))) {
        const whole = (rest + piece).split('\n')
        rest = whole.pop() ?? ''
        yield* whole
      }
      if (rest !== '') yield rest
    },
    async *events(path, { after, signal } = {}) {
      let lastId = after === undefined || after < 0 ? undefined : String(after)
      let retryMs = 2_000
      let goneSince: number | undefined
      for (;;) {
        const heard: RemoteEvent[] = []
        const parser = createParser({
          onEvent: ({ id, event = '', data }: EventSourceMessage) =>
            heard.push({ ...(id !== undefined && { id }), event, data: JSON.parse(data) }),
          onRetry: (ms) => {
            retryMs = ms
          },
        })
        try {
          const more = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) }
          const response = await fetched(path, { headers: headers(more), signal })
          goneSince = undefined
          for await (const piece of pieces(response)) {
            parser.feed(piece)
            for (const event of heard.splice(0)) {
              lastId = event.id ?? lastId
              yield event
            }
          }
        } catch (error) {
          signal?.throwIfAborted()
          if (error instanceof ServerRefused && error.code !== 'shutting_down' && error.code !== 'too_many_requests')
            throw error
          goneSince ??= Date.now()
          if (Date.now() - goneSince > mostGoneMs) throw error
        }
        await sleep(retryMs, undefined, signal && { signal })
      }
    },
    async mcp<T>(request: object, more: Record<string, string>) {
      const response = await fetched('../mcp', {
        method: 'POST',
        headers: headers({
          ...more,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        }),
        body: JSON.stringify(request),
      })
      const { result, error } = (await response.json()) as { result?: T; error?: { message: string } }
      if (result === undefined)
        throw new ServerRefused('invalid_request', error?.message ?? 'The server gave no result.')
      return result
    },
    as: (other) => createRemote(url, other, ask),
  }
}

export const nobodyAt = (url: string, cause: unknown): JarvisError =>
  new JarvisError('not_found', `No JARVIS answers at ${url}. Start it with npm start, or name one with --url.`, {
    cause,
  })

async function refusalOf(response: Response): Promise<ServerRefused> {
  const { error } = (await response.json().catch(() => ({}))) as Partial<ErrorBody>
  const code: ErrorCode = error?.code ?? 'internal'
  return new ServerRefused(code, error?.message ?? `The server answers ${response.status}.`)
}
