import { WebSocket } from 'ws'
import { type Clock, sleep } from '../../lib/clock.ts'
import { faultAtProxy } from '../../lib/unreachable.ts'
import { agentTo } from '../../lib/way-out.ts'

const version = '?v=10&encoding=json'
/** Direct messages. Taps come without an intent. */
const intents = 1 << 12
const helloWithinMs = 20_000
const firstPauseMs = 1_000
const longestPauseMs = 5 * 60_000
/** A connection that held for so long begins with the shortest pause again. */
const steadyMs = 60_000
/** Discord voids the token of a bot that signs in over 1,000 times a day. JARVIS leaves that many. */
const fewestStarts = 10
const mostBytes = 4 * 1024 ** 2
const closeWithinMs = 2_000
/** Closes a connection so that its session can be resumed: 1000 and 1001 would end it. */
const resumable = 4_900

/** Codes after which another attempt can only be refused. */
const finalCodes: Record<number, string> = {
  4004: 'Discord does not know the token any more. Give JARVIS another one.',
  4010: 'Discord refuses the shard.',
  4011: 'Discord wants this bot split into shards: it is in too many servers. Give JARVIS a bot of its own.',
  4012: 'Discord serves this version of its gateway no more. Install a newer JARVIS.',
  4013: 'Discord does not know the intents that JARVIS asks for. Install a newer JARVIS.',
  4014: 'Discord does not allow this bot direct messages. Allow its intents in the developer portal.',
}
/** Codes after which the session cannot be resumed: a bad sequence, a session that is over. */
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
type Starts = { url: string; remaining: number; resetAfterMs: number }

/**
 * Follows Discord's gateway until the signal aborts or Discord says that another attempt is useless. A lost connection is resumed from the last
 * event that was taken, so `take` gets each event at least once and in order.
 */
export async function followGateway(parts: {
  token: string
  clock: Clock
  signal: AbortSignal
  cursor: string | undefined
  /** Where to sign in, and how often that may still be done. @throws Error in words */
  starts(): Promise<Starts>
  /** Returns true if the token may be sent to an address. */
  isTrusted(url: string): boolean
  /** Sees an event as soon as it comes. @returns what takes it, in its turn */
  event(name: string, data: unknown, cursor: string): () => Promise<void>
  problem(why: string | undefined): void
  /** 0..1. */
  random?(): number
}): Promise<void> {
  const { token, clock, signal, problem } = parts
  const random = parts.random ?? Math.random
  let session = sessionOf(parts.cursor)
  let pauseMs = firstPauseMs

  async function round(): Promise<End> {
    if (session !== undefined && parts.isTrusted(session.url)) return connect(session.url)
    session = undefined
    const { url, remaining, resetAfterMs } = await parts.starts()
    if (!parts.isTrusted(url)) return { kind: 'final', why: 'Discord named a gateway that is not encrypted.' }
    if (remaining >= fewestStarts) return connect(url)
    problem(`Discord lets this bot sign in again in ${Math.ceil(resetAfterMs / 60_000)} minutes.`)
    await sleep(clock, resetAfterMs, signal)
    return { kind: 'identify' }
  }

  async function connect(url: string): Promise<End> {
    const address = `${url.replace(/(?<!\/)\/*$/, '/')}${version}`
    const socket = new WebSocket(address, {
      handshakeTimeout: helloWithinMs,
      maxPayload: mostBytes,
      perMessageDeflate: false,
      agent: agentTo(new URL(address)),
    })
    let received = session?.seq ?? null
    let isAcknowledged = true
    let disarm = clock.after(helloWithinMs, () => socket.terminate())
    let taking: Promise<unknown> = Promise.resolve()
    let why: string | undefined
    let invalid: boolean | undefined
    const send = (op: number, d: unknown) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ op, d }))
    }
    function close() {
      disarm()
      socket.close(resumable)
      // A dead link answers no farewell.
      disarm = clock.after(closeWithinMs, () => socket.terminate())
    }
    function beat(everyMs: number) {
      // A socket that takes bytes and answers none is dead.
      if (!isAcknowledged) {
        why = 'it answered no heartbeat'
        socket.terminate()
        return
      }
      isAcknowledged = false
      send(1, received)
      disarm = clock.after(everyMs, () => beat(everyMs))
    }
    function dispatched(name: string, data: unknown, seq: number) {
      received = seq
      if (name === 'READY') {
        const { session_id: id, resume_gateway_url: resume } = data as {
          session_id: string
          resume_gateway_url: string
        }
        session = { id, seq, url: resume }
      }
      if (name === 'READY' || name === 'RESUMED') problem(undefined)
      if (session === undefined) return
      const next = { ...session, seq }
      const take = parts.event(name, data, cursorOf(next))
      taking = taking.then(async () => {
        await take()
        session = next
      })
      // Discord hands it over again once the session is resumed before it.
      taking.catch(close)
    }
    socket.on('message', (raw) => {
      const { op, d, s, t } = read(String(raw))
      if (op === 0 && typeof t === 'string' && typeof s === 'number') dispatched(t, d, s)
      else if (op === 1) send(1, received)
      else if (op === 7) close()
      else if (op === 9) {
        invalid = d !== true
        close()
      } else if (op === 10) {
        disarm()
        const { heartbeat_interval: everyMs } = d as { heartbeat_interval: number }
        disarm = clock.after(everyMs * random(), () => beat(everyMs))
        if (session === undefined) {
          const properties = { os: process.platform, browser: 'jarvis', device: 'jarvis' }
          send(2, { token, intents, properties })
        } else send(6, { token, session_id: session.id, seq: session.seq })
      } else if (op === 11) isAcknowledged = true
    })
    signal.addEventListener('abort', close, { once: true })
    if (signal.aborted) close()
    const code = await new Promise<number>((done) => {
      // The socket closes after each error.
      socket.on('error', (error: NodeJS.ErrnoException) => {
        why = `it could not be reached (${faultAtProxy(error)?.message ?? error.code ?? 'unknown'})`
      })
      socket.on('close', done)
    })
    signal.removeEventListener('abort', close)
    disarm()
    // Finish the events that came before the session continues.
    await taking.catch(() => {})
    const final = finalCodes[code]
    if (final !== undefined) return { kind: 'final', why: final }
    const isOver = invalid ?? (sessionIsOver.has(code) && !signal.aborted)
    return { kind: isOver ? 'identify' : 'resume', ...(why !== undefined && { why }) }
  }

  while (!signal.aborted) {
    const begun = clock.now()
    let end: End
    try {
      end = await round()
    } catch (error) {
      if (signal.aborted) return
      end = { kind: 'resume', why: error instanceof Error ? error.message : 'it could not be reached' }
    }
    if (signal.aborted) return
    if (end.kind === 'final') {
      problem(end.why)
      return
    }
    if (end.kind === 'identify') session = undefined
    if (end.why !== undefined) problem(end.why)
    if (clock.now() - begun >= steadyMs) pauseMs = firstPauseMs
    // Discord wants 1 to 5 s before a session that it refused is begun anew.
    const pause = end.kind === 'identify' ? pauseMs * (1 + 4 * random()) : pauseMs * random()
    await sleep(clock, pause, signal).catch(() => {})
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
}

function read(text: string): Payload {
  try {
    return JSON.parse(text) as Payload
  } catch {
    return { op: -1 }
  }
}
