import { fieldsIfAny } from '../fields.ts'

type Headers = { get(name: string): string | null | undefined }

/** Parses `37s`, `1m23.45s`, `2h` or `20ms`. @returns milliseconds; undefined for any other text */
function durationOf(text: string): number | undefined {
  const parts = [...text.trim().matchAll(/(\d{1,9}(?:\.\d{1,12})?)(ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([all]) => all).join('') !== text.trim()) return undefined
  const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
  return Math.ceil(parts.reduce((sum, [, count, unit]) => sum + Number(count) * units[unit as keyof typeof units], 0))
}

/** Parses a time to wait: a number of seconds, a Unix time in s or ms, a date, or `1m2s`. @returns milliseconds from `now` */
function untilOf(text: string, now: number): number | undefined {
  const trimmed = text.trim()
  if (/^\d{1,15}(?:\.\d{1,12})?$/.test(trimmed)) {
    const value = Number(trimmed)
    if (value > 1e12) return Math.max(0, value - now)
    if (value > 1e9) return Math.max(0, value * 1_000 - now)
    return value * 1_000
  }
  const duration = durationOf(trimmed)
  if (duration !== undefined) return duration
  const at = Date.parse(trimmed)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/** Rate limits of services that report when each limit resets, with the headers for the remaining amount and the reset time. */
const buckets: readonly (readonly [left: string, reset: string])[] = [
  ...['requests', 'tokens', 'requests-day', 'tokens-minute'].map(
    (of) => [`x-ratelimit-remaining-${of}`, `x-ratelimit-reset-${of}`] as const,
  ),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map(
    (of) => [`anthropic-ratelimit-${of}-remaining`, `anthropic-ratelimit-${of}-reset`] as const,
  ),
  ['x-ratelimit-remaining', 'x-ratelimit-reset'],
  ['ratelimit-remaining', 'ratelimit-reset'],
]

/**
 * Returns how long a server asks the client to wait, ms. Reads its headers, then a field of its error, then its message. The reset time of a rate
 * limit counts only if its remaining amount is 0. @param now Unix ms
 */
export function waitOf(
  { headers, body, said }: { headers: Headers | undefined; body: unknown; said: string },
  now: number,
): number | undefined {
  const header = (name: string) => headers?.get(name) ?? ''
  const ms = Number.parseFloat(header('retry-after-ms'))
  if (ms >= 0) return ms
  const asked = untilOf(header('retry-after'), now)
  if (asked !== undefined) return asked
  return waitInBody(body, now) ?? waitInWords(said) ?? resetOf(header, now)
}

function resetOf(header: (name: string) => string, now: number): number | undefined {
  const resets = buckets.flatMap(([left, reset]) =>
    /^0+(?:\.0*)?$/.test(header(left).trim()) ? (untilOf(header(reset), now) ?? []) : [],
  )
  return resets.length === 0 ? undefined : Math.max(...resets)
}

/** Returns the wait that an error's body asks for, ms: Google's `retryDelay`, or fields of OpenRouter and Azure. */
function waitInBody(body: unknown, now: number, depth = 0): number | undefined {
  if (depth > 6) return undefined
  if (Array.isArray(body)) return body.map((item) => waitInBody(item, now, depth + 1)).find((ms) => ms !== undefined)
  const fields = fieldsIfAny(body)
  if (fields === undefined) return undefined
  const { retryDelay, retry_after: after, retry_after_seconds: seconds, retry_after_ms: ms } = fields
  if (typeof retryDelay === 'string') return durationOf(retryDelay)
  if (typeof ms === 'number') return ms
  const given = seconds ?? after
  if (typeof given === 'number') return given * 1_000
  if (typeof given === 'string') return untilOf(given, now)
  const { headers } = fields
  const inner = fieldsIfAny(headers)
  const named = Object.entries(inner ?? {}).find(([name]) => /^(?:retry-after|x-ratelimit-reset)$/i.test(name))?.[1]
  if (named !== undefined) return untilOf(String(named), now)
  return [fields.error, fields.details, fields.metadata, fields.body]
    .map((more) => waitInBody(more, now, depth + 1))
    .find((found) => found !== undefined)
}

/** `Please try again in 1m23.45s`, `Please retry in 37.3 seconds`. */
function waitInWords(said: string): number | undefined {
  const [, duration = ''] =
    /(?:try again|retry)(?: after| in) ((?:\d{1,9}(?:\.\d{1,12})?(?:ms|s|m|h)){1,4})\b/i.exec(said) ?? []
  if (duration !== '') return durationOf(duration.toLowerCase())
  const [, count, unit = ''] =
    /(?:try again|retry|wait)(?: after| in| for)? (\d{1,6}(?:\.\d{1,12})?) ?(seconds?|secs?|minutes?|mins?)\b/i.exec(
      said,
    ) ?? []
  return count === undefined ? undefined : Number(count) * (/^m/i.test(unit) ? 60_000 : 1_000)
}
