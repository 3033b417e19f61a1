import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type ErrorCode, errorStatus, JarvisError } from 'protocol'
import { ApiError, type Asked, type Client, createClient, refusalOf } from 'protocol/client'
import type { Ask } from '../../lib/one-connection.ts'

/** A request that the server refused, in the server's words, or that was not sent, with the reason. */
export class ServerRefused extends JarvisError {}

export type RemoteEvent = { id?: string; event: string; data: unknown }

/** A JARVIS that is used over HTTP with the rights of a token. Its refusals are `ServerRefused`. */
export type Remote = Client & {
  url: string
  /** Sends an MCP request and returns its result. @throws JarvisError if it has no result */
  mcp<T>(request: object, headers: Record<string, string>): Promise<T>
  /** The same server, used with another token, such as the one of a sign-in. @throws JarvisError `internal` without a token */
  as(token: string | undefined): Remote
}

/** Time that a server may be away, such as for a restart, ms. */
const mostGoneMs = 60_000

/**
 * @param token undefined: requests carry no token @param ask sends requests to a server that must prove its identity first, because a request may
 * contain a token or a password
 */
export function createRemote(url: string, token: string | undefined, ask: Ask = fetch): Remote {
  const sent = async (address: string, asked: Asked): Promise<Response> => {
    try {
      return await ask(address, asked)
    } catch (cause) {
      asked.signal?.throwIfAborted()
      if (cause instanceof JarvisError) throw cause
      throw nobodyAt(url, cause)
    }
  }
  const client = createClient({ url, token: () => token, fetch: sent })
  return {
    url,
    call: (...asked) => client.call(...asked).catch(refused),
    open: (...asked) => client.open(...asked).catch(refused),
    async mcp<T>(request: object, headers: Record<string, string>) {
      const response = await sent(`${url}/mcp`, {
        method: 'POST',
        headers: {
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(request),
      })
      if (!response.ok) await mcpRefused(response)
      const { result, error } = (await response.json()) as { result?: T; error?: { message: string } }
      if (result === undefined)
        throw new ServerRefused('invalid_request', error?.message ?? 'The server gave no result.')
      return result
    },
    as(other) {
      if (other === undefined) throw new JarvisError('internal', 'The server’s reply has no token.')
      return createRemote(url, other, ask)
    },
  }
}

async function* piecesOf(response: Response): AsyncGenerator<string> {
  const text = new TextDecoder()
  for await (const bytes of response.body ?? []) yield text.decode(bytes as Uint8Array, { stream: true })
}

/** The lines of a long answer, as they arrive. */
export async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of piecesOf(response)) {
    const whole = (rest + piece).split('\n')
    rest = whole.pop() ?? ''
    yield* whole
  }
  if (rest !== '') yield rest
}

/**
 * A stream of events. A broken stream is opened again after its last event.
 * @param open opens the stream, with headers that name that event
 * @throws JarvisError `not_found` if the server is away for longer than a minute, or the server's refusal
 */
export async function* eventsOf(
  open: (options: { headers: Record<string, string>; signal?: AbortSignal }) => Promise<Response>,
  { after, signal }: { after?: number; signal?: AbortSignal } = {},
): AsyncGenerator<RemoteEvent> {
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
      const headers = { Accept: 'text/event-stream', ...(lastId !== undefined && { 'Last-Event-ID': lastId }) }
      const response = await open({ headers, signal })
      goneSince = undefined
      for await (const piece of piecesOf(response)) {
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
}

export const nobodyAt = (url: string, cause: unknown): JarvisError =>
  new JarvisError('not_found', `No JARVIS answers at ${url}. Start it with npm start, or name one with --url.`, {
    cause,
  })

/** The answer of a refused MCP request has JSON-RPC's form, or that of any other route. @throws ServerRefused */
async function mcpRefused(response: Response): Promise<never> {
  const body = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { error?: { code?: unknown; message?: unknown } } | undefined
  const { code, message } = body?.error ?? {}
  if (typeof code === 'number' && typeof message === 'string') throw new ServerRefused('invalid_request', message)
  return refused(await refusalOf(response).catch((error: unknown) => error))
}

function refused(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  const code = error.code in errorStatus ? (error.code as ErrorCode) : 'internal'
  throw new ServerRefused(code, error.message)
}
