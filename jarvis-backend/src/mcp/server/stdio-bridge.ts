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

export type BridgeParts = {
  url: string
  token: string
  /**
   * Sends the requests, which contain the token, if the server must first prove its identity. Undefined: no proof is needed. @throws Error if
   * another program listens at the address
   */
  ask?: Ask | undefined
  input: Readable
  output: Pick<Writable, 'write'>
  report(message: string): void
}

/**
 * Forwards MCP messages between a pipe (one message per line) and a server over HTTP, in either specification. All answers come from the server.
 * @returns resolves when `input` ends; requests without an answer are then dropped
 */
export const bridgeStdio = (parts: BridgeParts): Promise<void> => new StdioBridge(parts).run()

class StdioBridge {
  readonly #parts: BridgeParts
  readonly #underWay = new Map<string | number, AbortController>()
  readonly #over = new AbortController()
  /** An older client's session and agreed version. */
  #session: { id: string; version: string } | undefined
  /** An older client's `initialize` message. */
  #hello: Message | undefined

  constructor(parts: BridgeParts) {
    this.#parts = parts
  }

  async run(): Promise<void> {
    for await (const line of createInterface({ input: this.#parts.input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === '') continue
      let message: Message
      try {
        message = JSON.parse(line) as Message
      } catch {
        this.#say({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'This line is not JSON.' } })
        continue
      }
      const carried = this.#carry(message)
      // Later messages need the session, so they wait for it.
      if (message.method === 'initialize') await carried
    }
    this.#over.abort()
    if (this.#session !== undefined)
      await this.#fetch({ method: 'DELETE', headers: this.#headersFor({}) }).catch(() => {})
  }

  async #carry(message: Message): Promise<void> {
    const { id, method, params } = message
    const isCurrent = params?._meta?.[versionKey] !== undefined
    if (method === 'notifications/cancelled' && params?.requestId !== undefined && this.#session === undefined) {
      this.#underWay.get(params.requestId)?.abort()
      return
    }
    const stop = new AbortController()
    const isRequest = id !== undefined && method !== undefined
    if (isRequest) this.#underWay.set(id, stop)
    try {
      const signal = AbortSignal.any([stop.signal, this.#over.signal])
      let response = await this.#send(message, signal)
      if (response.status === 404 && this.#session !== undefined && method !== 'initialize' && !isCurrent) {
        // The server was restarted. The client cannot know this, so the bridge sends `initialize` again.
        if (await this.#greet(signal)) response = await this.#send(message, signal)
      }
      if (method === 'initialize') this.#hello = message
      await this.#receive(response, message)
      if (method === 'notifications/initialized') void this.#listen()
    } catch (error) {
      if (isRequest && !this.#over.signal.aborted && !stop.signal.aborted) {
        this.#say(failed(id, `JARVIS at ${this.#parts.url} does not answer: ${reasonOf(error)}`))
      }
    } finally {
      if (isRequest) this.#underWay.delete(id)
    }
  }

  async #greet(signal: AbortSignal): Promise<boolean> {
    this.#session = undefined
    if (this.#hello === undefined) return false
    const response = await this.#send(this.#hello, signal)
    for await (const answer of messagesIn(response)) this.#keepSession(response, answer)
    if (this.#session === undefined) return false
    await this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' } as Message, signal)
    void this.#listen()
    return true
  }

  async #receive(response: Response, { id, method }: Message): Promise<void> {
    if (response.status === 202) {
      await response.body?.cancel()
      return
    }
    let isAnswered = false
    for await (const answer of messagesIn(response)) {
      if (!('jsonrpc' in answer)) continue
      if (method === 'initialize') this.#keepSession(response, answer)
      isAnswered ||= answer.id === id && answer.method === undefined
      this.#say(answer)
    }
    if (!isAnswered && id !== undefined && method !== undefined && method !== 'subscriptions/listen') {
      this.#say(failed(id, await problemOf(response)))
    }
  }

  /** Opens the stream of server messages for an older client. */
  async #listen(): Promise<void> {
    const own = this.#session
    if (own === undefined) return
    try {
      const response = await this.#fetch({
        headers: { ...this.#headersFor({}), accept: 'text/event-stream' },
        signal: this.#over.signal,
      })
      if (response.ok) for await (const message of messagesIn(response)) this.#say(message)
      else await response.body?.cancel()
    } catch (error) {
      if (!this.#over.signal.aborted && this.#session === own) this.#parts.report(`No more notices: ${reasonOf(error)}`)
    }
  }

  #keepSession(response: Response, { result }: Message): void {
    const id = response.headers.get('mcp-session-id')
    if (id !== null && typeof result?.protocolVersion === 'string')
      this.#session = { id, version: result.protocolVersion }
  }

  #send(message: Message, signal: AbortSignal): Promise<Response> {
    const headers = this.#headersFor(message)
    return this.#fetch({ method: 'POST', headers, body: JSON.stringify(message), signal })
  }

  #headersFor(message: Message): Record<string, string> {
    const version = message.params?._meta?.[versionKey]
    const common = {
      authorization: `Bearer ${this.#parts.token}`,
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
    if (this.#session === undefined || message.method === 'initialize') return common
    return { ...common, 'mcp-session-id': this.#session.id, 'mcp-protocol-version': this.#session.version }
  }

  #fetch(asked: Asked): Promise<Response> {
    const { ask = fetch, url } = this.#parts
    return ask(url, asked)
  }

  #say(message: unknown): void {
    this.#parts.output.write(`${JSON.stringify(message)}\n`)
  }
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

/** Returns the server's message if it refused a request before MCP handled the request. */
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
