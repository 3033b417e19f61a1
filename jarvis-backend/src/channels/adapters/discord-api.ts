import type { Clock } from '../../lib/clock.ts'
import type { Delivery } from '../channel.ts'
import { ask } from '../post.ts'

/** Discord locks an address out after 10,000 invalid requests in ten minutes; JARVIS stops at a tenth of that. */
const mostInvalid = 1_000
const invalidWithinMs = 10 * 60_000
const unknownTokenMs = 60_000
/** How long it counts how far the clocks are apart. */
const measuredForMs = 60_000
/** Discord refuses clients that do not name themselves so. */
const agent = 'DiscordBot (https://github.com/jarvis, 1)'

/** `code`: Discord's own, of an error. */
export type DiscordReply = { status: number; body?: unknown; code?: number; message?: string; retryAfterMs?: number }
export type DiscordApi = ReturnType<typeof createDiscordApi>

/** Discord's REST API. Pauses that it asks for are kept for all requests, and requests that it refuses are bounded. */
export function createDiscordApi({ base, token, clock }: { base: string; token: string; clock: Clock }) {
  let pausedUntil = 0
  let invalid: number[] = []
  let measured: { aheadMs: number; at: number } | undefined

  /** How long nothing may be asked, ms; 0 where something may. */
  function restMs(): number {
    const now = clock.now()
    invalid = invalid.filter((at) => at > now - invalidWithinMs && at <= now)
    const [oldest = now] = invalid
    const bounded = invalid.length >= mostInvalid ? oldest + invalidWithinMs - now : 0
    // A clock that was set back makes no pause longer than it was.
    return Math.max(0, Math.min(pausedUntil - now, invalidWithinMs), bounded)
  }

  async function send(
    method: string,
    path: string,
    body: object | FormData | undefined,
    headers: object,
    signal: AbortSignal,
  ) {
    const answer = await ask(`${base}${path}`, {
      method,
      headers: {
        ...(!(body instanceof FormData) && { 'content-type': 'application/json' }),
        'user-agent': agent,
        ...headers,
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      signal,
    })
    if (answer.at !== undefined) measured = { aheadMs: clock.now() - answer.at, at: clock.now() }
    const read = parsed(answer.text)
    const {
      code,
      message,
      retry_after: asked,
    } = (read ?? {}) as { code?: number; message?: string; retry_after?: number }
    const isOk = answer.status >= 200 && answer.status < 300
    const wait = typeof asked === 'number' ? Math.ceil(asked * 1_000) : answer.retryAfterMs
    if ([401, 403, 429].includes(answer.status)) invalid.push(clock.now())
    if (answer.status === 429) pausedUntil = Math.max(pausedUntil, clock.now() + (wait ?? 1_000))
    return {
      status: answer.status,
      ...(isOk && { body: read }),
      ...(!isOk && typeof code === 'number' && { code }),
      ...(!isOk && typeof message === 'string' && { message }),
      ...(answer.status === 429 && { retryAfterMs: wait ?? 1_000 }),
    }
  }

  /** Asks as the bot. @throws Error in words where Discord cannot be reached */
  async function call(
    method: string,
    path: string,
    body: object | FormData | undefined,
    signal: AbortSignal,
  ): Promise<DiscordReply> {
    const rest = restMs()
    if (rest > 0) return { status: 429, message: 'JARVIS waits as Discord asked', retryAfterMs: rest }
    return send(method, path, body, { authorization: `Bot ${token}` }, signal)
  }

  return {
    call,
    /**
     * How far our clock is ahead of Discord's, ms, to the second. The gateway tells no time, so the newest reply says it, and Discord is asked
     * where that is a minute old or our clock was set meanwhile. Where it does not say, what was known before counts, or 0.
     */
    async aheadMs(signal: AbortSignal): Promise<number> {
      const ageMs = measured === undefined ? -1 : clock.now() - measured.at
      if (ageMs < 0 || ageMs > measuredForMs) await call('GET', '/users/@me', undefined, signal).catch(() => undefined)
      return measured?.aheadMs ?? 0
    },
    /** Answers an interaction, whose own token is in the path. No limit of the bot holds there. */
    respond: (path: string, body: object, signal: AbortSignal): Promise<DiscordReply> =>
      send('POST', path, body, {}, signal),
  }
}

/** Interprets a refusal; undefined where it is none. */
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
