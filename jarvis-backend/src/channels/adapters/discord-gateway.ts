import { sleep } from 'node-kit/clock'
import { WebSocket } from 'ws'
import type { Clock } from '../../lib/clock.ts'
import { faultAtProxy } from '../../lib/unreachable.ts'
import { agentTo } from '../../lib/way-out.ts'

const version = '?v=10&encoding=json'
/** The intent for direct messages. Taps arrive without an intent. */
const intents = 1 << 12
const helloWithinMs = 20_000
const firstPauseMs = 1_000
const longestPauseMs = 5 * 60_000
/** After a connection that lasted this long, the next pause is the shortest again. */
const steadyMs = 60_000
/** The number of sign-ins that JARVIS leaves unused. Discord voids the token of a bot that signs in more than 1,000 times a day. */
const fewestStarts = 10
const mostBytes = 4 * 1024 ** 2
const closeWithinMs = 2_000
/** The code that closes a connection so that its session can be resumed. The codes 1000 and 1001 would end the session. */
const resumable = 4_900

/** Close codes after which every other attempt would be refused too. */
const finalCodes: Record<number, string> = {
  4004: 'Discord does not know the token any more. Give JARVIS another one.',
  4010: 'Discord refuses the shard.',
  4011: 'Discord wants this bot split into shards: it is in too many servers. Give JARVIS a bot of its own.',
  4012: 'Discord serves this version of its gateway no more. Install a newer JARVIS.',
  4013: 'Discord does not know the intents that JARVIS asks for. Install a newer JARVIS.',
  4014: 'Discord does not allow this bot direct messages. Allow its intents in the developer portal.',
}
/** Close codes after which the session cannot be resumed: the sequence is wrong, or the session is over. */
const sessionIsOver = new Set([4007, 4009, 1000, 1001])

/** A session that may be resumed from the event after `seq`. */
type Session = { id: string; seq: number; url: string }
type End = { kind: 'resume' | 'identify'; why?: string } | { kind: 'final'; why: string }

const cursorOf = ({ id, seq, url }: Session) => `${id} ${seq} ${url}`
function sessionOf(cursor: string | undefined): Session | undefined {
  const [, id, seq, url] = /^(\S+) (\d+) (\S+)$/.exec(cursor ?? '') ?? []
  return id === undefined || url === undefined ? undefined : { id, seq: Number(seq), url }
}

type Payload = { op: number; d?: unknown; s?: number | null; t?: string | null }
/** The address to sign in at, and the number of sign-ins that the bot has left. */
export type GatewayStarts = { url: string; remaining: number; resetAfterMs: number }

export type GatewayParts = {
  token: string
  clock: Clock
  signal: AbortSignal
  /** The position at which the last process stopped; undefined: there is none. */
  cursor: string | undefined
  /** Asks Discord for the address to sign in at and the sign-ins left. @throws Error with a message for people */
  starts(): Promise<GatewayStarts>
  /** Returns true if the token may be sent to a URL. */
  isTrusted(url: string): boolean
  /** Called as soon as an event arrives. @returns a function that handles the event; it is called after the earlier events were handled */
  event(name: string, data: unknown, cursor: string): () => Promise<void>
  problem(why: string | undefined): void
  /** 0..1. Default: `Math.random`. */
  random?(): number
}

/**
 * Follows Discord's gateway. A lost connection is resumed after the last event that was handled, so each event is handled at least once and in
 * order.
 */
export class DiscordGateway {
  readonly #parts: GatewayParts
  #session: Session | undefined
  #pauseMs = firstPauseMs

  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.#session = sessionOf(parts.cursor)
  }

  /** Follows the gateway. Resolves when the signal aborts, or when Discord says that every other attempt would be refused. */
  async follow(): Promise<void> {
    const { clock, signal, problem } = this.#parts
    while (!signal.aborted) {
      const begun = clock.now()
      const end = await this.#round().catch(
        (error: unknown): End => ({
          kind: 'resume',
          why: error instanceof Error ? error.message : 'it could not be reached',
        }),
      )
      if (signal.aborted) return
      if (end.kind === 'final') {
        problem(end.why)
        return
      }
      if (end.kind === 'identify') this.#session = undefined
      if (end.why !== undefined) problem(end.why)
      if (clock.now() - begun >= steadyMs) this.#pauseMs = firstPauseMs
      await this.#pause(end)
    }
  }

  async #round(): Promise<End> {
    const { clock, signal, problem, isTrusted, starts } = this.#parts
    if (this.#session !== undefined && isTrusted(this.#session.url)) return this.#connect(this.#session.url)
    this.#session = undefined
    const { url, remaining, resetAfterMs } = await starts()
    if (!isTrusted(url)) return { kind: 'final', why: 'Discord named a gateway that is not encrypted.' }
    if (remaining >= fewestStarts) return this.#connect(url)
    problem(`Discord lets this bot sign in again in ${Math.ceil(resetAfterMs / 60_000)} minutes.`)
    await sleep(clock, resetAfterMs, signal)
    return { kind: 'identify' }
  }

  async #connect(url: string): Promise<End> {
    const connection = new Connection(this.#parts, url, this.#session)
    const end = await connection.run()
    this.#session = connection.session
    return end
  }

  async #pause({ kind }: End): Promise<void> {
    const { clock, signal, random = Math.random } = this.#parts
    // After Discord refused a session, it wants a pause of 1 to 5 s before a new session begins.
    const pauseMs = kind === 'identify' ? this.#pauseMs * (1 + 4 * random()) : this.#pauseMs * random()
    await sleep(clock, pauseMs, signal).catch(() => {})
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
  }
}

/** One connection to the gateway. */
class Connection {
  readonly #parts: GatewayParts
  readonly #socket: WebSocket
  #session: Session | undefined
  /** The sequence number of the newest event that arrived. Heartbeats contain it. */
  #received: number | null
  #isAcknowledged = true
  #disarm: () => void
  #taking: Promise<unknown> = Promise.resolve()
  #why: string | undefined
  /** Set if Discord ended the session. True: the session cannot be resumed. */
  #invalid: boolean | undefined

  constructor(parts: GatewayParts, url: string, session: Session | undefined) {
    const address = `${url.replace(/(?<!\/)\/*$/, '/')}${version}`
    this.#parts = parts
    this.#session = session
    this.#received = session?.seq ?? null
    this.#socket = new WebSocket(address, {
      handshakeTimeout: helloWithinMs,
      maxPayload: mostBytes,
      perMessageDeflate: false,
      agent: agentTo(new URL(address)),
    })
    this.#disarm = parts.clock.after(helloWithinMs, () => this.#socket.terminate())
  }

  /** The session after the last event that was handled; undefined: no session was begun. */
  get session(): Session | undefined {
    return this.#session
  }

  /** Receives events until the connection ends. @returns how to continue: resume, sign in again, or give up */
  async run(): Promise<End> {
    const { signal } = this.#parts
    const close = () => this.#close()
    this.#socket.on('message', (raw) => this.#receive(read(String(raw))))
    signal.addEventListener('abort', close, { once: true })
    if (signal.aborted) close()
    const code = await new Promise<number>((done) => {
      // Only note the reason here: the socket closes after each error.
      this.#socket.on('error', (error: NodeJS.ErrnoException) => {
        this.#why = `it could not be reached (${faultAtProxy(error)?.message ?? error.code ?? 'unknown'})`
      })
      this.#socket.on('close', done)
    })
    signal.removeEventListener('abort', close)
    this.#disarm()
    // Events that have arrived are handled before the session continues.
    await this.#taking.catch(() => {})
    const final = finalCodes[code]
    if (final !== undefined) return { kind: 'final', why: final }
    const isOver = this.#invalid ?? (sessionIsOver.has(code) && !signal.aborted)
    return { kind: isOver ? 'identify' : 'resume', why: this.#why }
  }

  #receive({ op, d, s, t }: Payload): void {
    if (op === 0 && typeof t === 'string' && typeof s === 'number') this.#dispatched(t, d, s)
    else if (op === 1) this.#send(1, this.#received)
    else if (op === 7) this.#close()
    else if (op === 9) {
      this.#invalid = d !== true
      this.#close()
    } else if (op === 10) this.#greet((d as { heartbeat_interval: number }).heartbeat_interval)
    else if (op === 11) this.#isAcknowledged = true
  }

  /** Answers Discord's hello: begins the heartbeats, and identifies the bot or resumes its session. */
  #greet(everyMs: number): void {
    const { token, clock, random = Math.random } = this.#parts
    this.#disarm()
    this.#disarm = clock.after(everyMs * random(), () => this.#beat(everyMs))
    if (this.#session === undefined) {
      const properties = { os: process.platform, browser: 'jarvis', device: 'jarvis' }
      this.#send(2, { token, intents, properties })
    } else this.#send(6, { token, session_id: this.#session.id, seq: this.#session.seq })
  }

  #beat(everyMs: number): void {
    // A connection that accepts bytes but answers no heartbeat is dead.
    if (!this.#isAcknowledged) {
      this.#why = 'it answered no heartbeat'
      this.#socket.terminate()
      return
    }
    this.#isAcknowledged = false
    this.#send(1, this.#received)
    this.#disarm = this.#parts.clock.after(everyMs, () => this.#beat(everyMs))
  }

  #dispatched(name: string, data: unknown, seq: number): void {
    const { event, problem } = this.#parts
    this.#received = seq
    if (name === 'READY') {
      const { session_id: id, resume_gateway_url: url } = data as { session_id: string; resume_gateway_url: string }
      this.#session = { id, seq, url }
    }
    if (name === 'READY' || name === 'RESUMED') problem(undefined)
    if (this.#session === undefined) return
    const next = { ...this.#session, seq }
    const take = event(name, data, cursorOf(next))
    this.#taking = this.#taking.then(async () => {
      await take()
      this.#session = next
    })
    // The session is resumed from before this event, so Discord sends the event again.
    this.#taking.catch(() => this.#close())
  }

  #send(op: number, d: unknown): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ op, d }))
  }

  #close(): void {
    this.#disarm()
    this.#socket.close(resumable)
    // A dead connection does not answer the closing handshake.
    this.#disarm = this.#parts.clock.after(closeWithinMs, () => this.#socket.terminate())
  }
}

function read(text: string): Payload {
  try {
    return JSON.parse(text) as Payload
  } catch {
    return { op: -1 }
  }
}
