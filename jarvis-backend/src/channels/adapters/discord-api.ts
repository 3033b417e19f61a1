import type { Clock } from '../../lib/clock.ts'
import type { Delivery } from '../channel.ts'
import { ask } from '../post.ts'

/** Discord locks an address out after 10,000 invalid requests in ten minutes; JARVIS stops at a tenth of that. */
const mostInvalid = 1_000
const invalidWithinMs = 10 * 60_000
const unknownTokenMs = 60_000
/** Time for which a measured lead of the clock counts, ms. */
const measuredForMs = 60_000
/** Discord refuses clients that do not name themselves so. */
const agent = 'DiscordBot (https://github.com/jarvis, 1)'

/** `code`: Discord's own, of an error. */
export type DiscordReply = { status: number; body?: unknown; code?: number; message?: string; retryAfterMs?: number }

/** A request to Discord. `path` begins with a slash. */
export type DiscordRequest = { method: 'GET' | 'POST' | 'PATCH'; path: string; body?: object | FormData }

/** Discord's REST API. Pauses that it asks for are kept for all requests, and requests that it refuses are bounded. */
export class DiscordApi {
  readonly #base: string
  readonly #token: string
  readonly #clock: Clock
  #pausedUntil = 0
  /** The times of refused requests, Unix ms. */
  #invalid: number[] = []
  #measured: { aheadMs: number; at: number } | undefined

  constructor({ base, token, clock }: { base: string; token: string; clock: Clock }) {
    this.#base = base
    this.#token = token
    this.#clock = clock
  }

  /** Asks as the bot. @throws Error in words if Discord cannot be reached */
  async call(request: DiscordRequest, signal: AbortSignal): Promise<DiscordReply> {
    const rest = this.#restMs()
    if (rest > 0) return { status: 429, message: 'JARVIS waits as Discord asked', retryAfterMs: rest }
    return this.#send(request, { authorization: `Bot ${this.#token}` }, signal)
  }

  /** Answers an interaction, whose own token is in the path. No limit of the bot holds there. */
  respond(path: string, body: object, signal: AbortSignal): Promise<DiscordReply> {
    return this.#send({ method: 'POST', path, body }, {}, signal)
  }

  /**
   * The lead of JARVIS's clock over Discord's, ms, to the second. The gateway tells no time, so the newest reply says it. Discord is asked
   * if that reply is a minute old or JARVIS's clock was set meanwhile. If Discord does not say, the last known lead counts, or 0.
   */
  async aheadMs(signal: AbortSignal): Promise<number> {
    const ageMs = this.#measured === undefined ? -1 : this.#clock.now() - this.#measured.at
    if (ageMs < 0 || ageMs > measuredForMs)
      await this.call({ method: 'GET', path: '/users/@me' }, signal).catch(() => undefined)
    return this.#measured?.aheadMs ?? 0
  }

  /** The time for which nothing may be asked, ms; 0 if something may. */
  #restMs(): number {
    const now = this.#clock.now()
    this.#invalid = this.#invalid.filter((at) => at > now - invalidWithinMs && at <= now)
    const [oldest = now] = this.#invalid
    const bounded = this.#invalid.length >= mostInvalid ? oldest + invalidWithinMs - now : 0
    // A clock that was set back makes no pause longer than it was.
    return Math.max(0, Math.min(this.#pausedUntil - now, invalidWithinMs), bounded)
  }

  async #send({ method, path, body }: DiscordRequest, headers: object, signal: AbortSignal): Promise<DiscordReply> {
    const answer = await ask(`${this.#base}${path}`, {
      method,
      headers: {
        ...(!(body instanceof FormData) && { 'content-type': 'application/json' }),
        'user-agent': agent,
        ...headers,
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      signal,
    })
    const now = this.#clock.now()
    if (answer.at !== undefined) this.#measured = { aheadMs: now - answer.at, at: now }
    const read = parsed(answer.text)
    const { code, message, retry_after: asked } = (read ?? {}) as Refusal
    const isOk = answer.status >= 200 && answer.status < 300
    const wait = typeof asked === 'number' ? Math.ceil(asked * 1_000) : answer.retryAfterMs
    if ([401, 403, 429].includes(answer.status)) this.#invalid.push(now)
    if (answer.status === 429) this.#pausedUntil = Math.max(this.#pausedUntil, now + (wait ?? 1_000))
    return {
      status: answer.status,
      ...(isOk && { body: read }),
      ...(!isOk && typeof code === 'number' && { code }),
      ...(!isOk && typeof message === 'string' && { message }),
      ...(answer.status === 429 && { retryAfterMs: wait ?? 1_000 }),
    }
  }
}

type Refusal = { code?: number; message?: string; retry_after?: number }

/** Interprets a refusal; undefined if the reply is none. */
export function refusalOf({
  status,
  code,
  message,
  retryAfterMs,
}: DiscordReply): Exclude<Delivery, { kind: 'sent' }> | undefined {
  if (status >= 200 && status < 300) return undefined
  const why = `it answered ${status}${message === undefined ? '' : `: ${message}`}`
  if (status === 429) return { kind: 'again', why, retryAfterMs }
  if (status === 401) return { kind: 'again', why: 'it does not know the token', retryAfterMs: unknownTokenMs }
  // 10003: there is no such channel any more.
  if (status === 403 || code === 10_003) return { kind: 'gone', why }
  return status === 408 || status >= 500 ? { kind: 'again', why } : { kind: 'failed', why }
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
