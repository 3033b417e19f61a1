import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Ask, Asked } from '../../lib/one-connection.ts'

type Message = {
  id?: string | number
  method?: string
  params?: {
    name?: unknown
    uri?: unknown
    taskId?: unknown
    requestId?: string | number
    _meta?: Record<string, unknown>
  }
  result?: { protocolVersion?: unknown }
  error?: unknown
}

const versionKey = 'io.modelcontextprotocol/protocolVersion'

/**
 * Forwards MCP between a pipe (one message per line) and a server over HTTP, in either specification. All answers come from the server.
 * @returns resolves when `input` ends; requests without an answer are dropped then
 */
export async function bridgeStdio(parts: {
  url: string
  token: string
  /** Sends each request, which holds the token, where the server must prove itself first. @throws where another program listens there */
  ask?: Ask | undefined
  input: Readable
  output: Pick<Writable, 'write'>
  report(message: string): void
}): Promise<void> {
  const { url, input, output, report } = parts
  const underWay = new Map<string | number, AbortController>()
  const over = new AbortController()
  /** An older client's session and agreed version, and below its `initialize` message. */
  let session: { id: string; version: string } | undefined
  let hello: Message | undefined

  const say = (message: unknown) => void output.write(`${JSON.stringify(message)}\n`)

  const { ask = fetch } = parts
  const fetched = (asked: Asked): Promise<Response> => ask(url, asked)
  const send = (message: Message, signal: AbortSignal) =>
    fetched({ method: 'POST', headers: headersFor(message), body: JSON.stringify(message), signal })

  function headersFor(message: Message): Record<string, string> {
    const version = message.params?._meta?.[versionKey]
    const common = {
      authorization: `Bearer ${parts.token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    }
    if (typeof version === 'string') {
      const name = message.params?.name ?? message.params?.uri ?? message.params?.taskId
      return {
        ...common,
        'mcp-protocol-version': version,
        ...(message.method !== undefined && { 'mcp-method': message.method }),
        ...(typeof name === 'string' && { 'mcp-name': headerValue(name) }),
      }
    }
    if (session === undefined || message.method === 'initialize') return common
    return { ...common, 'mcp-session-id': session.id, 'mcp-protocol-version': session.version }
  }

  async function carry(message: Message) {
    const { id, method, params } = message
    const isCurrent = params?._meta?.[versionKey] !== undefined
    if (method === 'notifications/cancelled' && params?.requestId !== undefined && session === undefined) {
      underWay.get(params.requestId)?.abort()
      return
    }
    const stop = new AbortController()
    const isRequest = id !== undefined && method !== undefined
    if (isRequest) underWay.set(id, stop)
    try {
      const signal = AbortSignal.any([stop.signal, over.signal])
      let response = await send(message, signal)
      if (response.status === 404 && session !== undefined && method !== 'initialize' && !isCurrent) {
        // The server was restarted, which the client cannot know, so `initialize` is sent again.
        if (await greet(signal)) response = await send(message, signal)
      }
      if (method === 'initialize') hello = message
      await receive(response, message)
      if (method === 'notifications/initialized') void listen()
    } catch (error) {
      if (isRequest && !over.signal.aborted && !stop.signal.aborted) {
        say(failed(id, `JARVIS at ${url} does not answer: ${reasonOf(error)}`))
      }
    } finally {
      if (isRequest) underWay.delete(id)
    }
  }

  async function greet(signal: AbortSignal): Promise<boolean> {
    session = undefined
    if (hello === undefined) return false
    const response = await send(hello, signal)
    for await (const answer of messagesIn(response)) keepSession(response, answer)
    if (session === undefined) return false
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' } as Message, signal)
    void listen()
    return true
  }

  function keepSession(response: Response, { result }: Message) {
    const id = response.headers.get('mcp-session-id')
    if (id !== null && typeof result?.protocolVersion === 'string') session = { id, version: result.protocolVersion }
  }

  async function receive(response: Response, { id, method }: Message) {
    if (response.status === 202) {
      await response.body?.cancel()
      return
    }
    let isAnswered = false
    for await (const answer of messagesIn(response)) {
      if (!('jsonrpc' in answer)) continue
      if (method === 'initialize') keepSession(response, answer)
      isAnswered ||= answer.id === id && answer.method === undefined
      say(answer)
    }
    if (!isAnswered && id !== undefined && method !== undefined && method !== 'subscriptions/listen') {
      say(failed(id, await problemOf(response)))
    }
  }

  /** Opens the stream of server messages for an older client. */
  async function listen() {
    const own = session
    if (own === undefined) return
    try {
      const response = await fetched({
        headers: { ...headersFor({}), accept: 'text/event-stream' },
        signal: over.signal,
      })
      if (response.ok) for await (const message of messagesIn(response)) say(message)
      else await response.body?.cancel()
    } catch (error) {
      if (!over.signal.aborted && session === own) report(`No more notices: ${reasonOf(error)}`)
    }
  }

  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    let message: Message
    try {
      message = JSON.parse(line) as Message
    } catch {
      say({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'This line is not JSON.' } })
      continue
    }
    const carried = carry(message)
    // Later messages need the session.
    if (message.method === 'initialize') await carried
  }
  over.abort()
  if (session !== undefined) await fetched({ method: 'DELETE', headers: headersFor({}) }).catch(() => {})
}

async function* messagesIn(response: Response): AsyncGenerator<Message> {
  const type = response.headers.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && response.body !== null) {
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    for await (const { data } of events) if (data !== '') yield JSON.parse(data) as Message
  } else if (type.startsWith('application/json')) {
    const body = JSON.parse(await response.clone().text()) as Message | Message[]
    yield* [body].flat()
  }
}

/** The server's message, where it refused a request before MCP handled it. */
async function problemOf(response: Response): Promise<string> {
  try {
    const { error } = (await response.json()) as { error?: { message?: string } }
    if (typeof error?.message === 'string') return error.message
  } catch {
    // The answer holds no message.
  }
  return `JARVIS answered with HTTP ${response.status}.`
}

const failed = (id: string | number, message: string) => ({ jsonrpc: '2.0', id, error: { code: -32_000, message } })

/** Encodes non-ASCII text for a header as the specification says. */
const headerValue = (text: string) =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`

const reasonOf = (error: unknown) =>
  error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : String(error)
