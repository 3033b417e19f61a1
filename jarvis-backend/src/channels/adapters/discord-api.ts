import type { Clock } from '../../lib/clock.ts'
import type { Delivery } from '../channel.ts'
import { ask } from '../post.ts'

/** Discord blocks an IP address after 10,000 invalid requests in ten minutes. JARVIS stops at a tenth of that. */
const mostInvalid = 1_000
const invalidWithinMs = 10 * 60_000
const unknownTokenMs = 60_000
/** Time for which the measured difference of the clocks is used, ms. */
const measuredForMs = 60_000
/** Discord refuses clients whose user agent has another form. */
const agent = 'DiscordBot (https://github.com/jarvis, 1)'

/** A reply of Discord. `code`: Discord's own error code. */
export type DiscordReply = { status: number; body?: unknown; code?: number; message?: string; retryAfterMs?: number }

/** A request to Discord. `path` begins with a slash. */
export type DiscordRequest = { method: 'GET' | 'POST' | 'PATCH'; path: string; body?: object | FormData }

/** Discord's REST API. If Discord asks for a pause, all requests wait for its end. The number of refused requests is limited. */
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

  /** Sends a request as the bot. @throws Error with a message for people if Discord cannot be reached */
  async call(request: DiscordRequest, signal: AbortSignal): Promise<DiscordReply> {
    const rest = this.#restMs()
    if (rest > 0) return { status: 429, message: 'JARVIS waits as Discord asked', retryAfterMs: rest }
    return this.#send(request, { authorization: `Bot ${this.#token}` }, signal)
  }

  /** Answers an interaction. The interaction's own token is in the path, so the bot's limits do not apply. */
  respond(path: string, body: object, signal: AbortSignal): Promise<DiscordReply> {
    return this.#send({ method: 'POST', path, body }, {}, signal)
  }

  /**
   * The time by which JARVIS's clock is ahead of Discord's, ms, to the second. The gateway sends no time, so the newest REST reply is used. If that
   * reply is a minute old, or JARVIS's clock was set back since, Discord is asked again. If Discord sends no time, the last known difference is
   * used, or 0.
   */
  async aheadMs(signal: AbortSignal): Promise<number> {
    const ageMs = this.#measured === undefined ? -1 : this.#clock.now() - this.#measured.at
    if (ageMs < 0 || ageMs > measuredForMs)
      await this.call({ method: 'GET', path: '/users/@me' }, signal).catch(() => undefined)
    return this.#measured?.aheadMs ?? 0
  }

  /** The time for which no request may be sent, ms; 0 if one may be sent now. */
  #restMs(): number {
    const now = this.#clock.now()
    this.#invalid = this.#invalid.filter((at) => at > now - invalidWithinMs && at <= now)
    const [oldest = now] = this.#invalid
    const bounded = this.#invalid.length >= mostInvalid ? oldest + invalidWithinMs - now : 0
    // If the clock was set back, the pause does not become longer than the limit.
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

/** Interprets a refusal; undefined if the reply is not a refusal. */
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
  // 10003: the Discord channel no longer exists.
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
