import type { ModelLimits } from '../../agent/model.ts'
import { hears, type Meaning, type Row, rows } from './rows.ts'

/** HTTP status for errors that arrive inside a stream with a type instead of a status. */
const statusOfType = new Map<string, number>([
  ['invalid_request_error', 400],
  ['invalid_prompt', 400],
  ['context_length_exceeded', 400],
  ['string_above_max_length', 400],
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['BadRequestError', 400],
  ['ValidationException', 400],
  ['authentication_error', 401],
  ['UNAUTHENTICATED', 401],
  ['billing_error', 402],
  ['insufficient_quota', 402],
  ['permission_error', 403],
  ['PERMISSION_DENIED', 403],
  ['AccessDeniedException', 403],
  ['not_found_error', 404],
  ['NotFoundError', 404],
  ['NOT_FOUND', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['RESOURCE_EXHAUSTED', 429],
  ['ThrottlingException', 429],
  ['UNAVAILABLE', 503],
  ['ServiceUnavailableException', 503],
  ['timeout_error', 504],
  ['DEADLINE_EXCEEDED', 504],
  ['overloaded_error', 529],
])

/** Returns the HTTP status of a refusal. For a refusal inside a stream, returns the status that its code or type stands for. */
export function statusOf(complaint: { status?: unknown; code?: unknown }, words: readonly string[]): number {
  const given = [complaint.status, complaint.code].map(Number).find((value) => value >= 300 && value <= 599)
  return given ?? words.map((word) => statusOfType.get(word)).find((value) => value !== undefined) ?? 500
}

/**
 * Finds the meaning of a refusal. @param heard the server's codes and message @returns undefined if neither the message nor the status has a known
 * meaning
 */
export function meaningOf(heard: string, status: number, host: string): Meaning | undefined {
  const said = heard.toLowerCase()
  const fits = ({ at, says }: Row) =>
    (at === undefined || at.includes(status)) && says.some((phrase) => hears(said, phrase))
  const found = status === 401 ? undefined : rows.find(fits)
  if (found !== undefined) return found.means
  const isBare = heard.trim() === ''
  // Cerebras sends no message if it refuses a conversation that is too long.
  if (status === 413 || (status === 400 && isBare && host.endsWith('cerebras.ai'))) return 'too_long'
  if (status === 401) return 'key'
  if (status === 402) return 'spent'
  if (status === 403) return 'forbidden'
  if (status === 429) return 'throttled'
  if (status === 425 || status === 498 || status === 503 || status === 529) return 'overloaded'
  return undefined
}

const numberIn = (heard: string, ...patterns: readonly RegExp[]): number | undefined => {
  const [found] = patterns.flatMap((pattern) => pattern.exec(heard)?.[1] ?? [])
  return found === undefined ? undefined : Number(found.replaceAll(',', ''))
}

/** Smaller numbers are not context windows, tokens. */
const leastWindow = 1_000

/** Reads the limits that a server's refusal names. */
export function limitsIn(heard: string, because: Meaning | undefined): ModelLimits {
  if (because === 'affords') return given('affordsTokens', numberIn(heard, /can only afford ([\d,]{1,12})/i))
  if (because === 'plan')
    return given('planTokens', numberIn(heard, /limit:? ([\d,]{1,12})/i, /max size: ([\d,]{1,12})/i))
  if (because !== 'too_long') return {}
  const window = numberIn(
    heard,
    /> ([\d,]{1,12}) maximum/i,
    /max context is ([\d,]{1,12})/i,
    /n_ctx\D{1,4}([\d,]{1,12})/i,
    /context (?:length|size|window|limit)(?: is| of|:)? ?\(?([\d,]{1,12})/i,
    /(?:prompt length is|tokens allowed \(|limit of|token limit:|input length of|with|while limit is) ?([\d,]{1,12})/i,
  )
  return window === undefined || window < leastWindow ? {} : { windowTokens: window }
}

const given = (name: keyof ModelLimits, value: number | undefined): ModelLimits =>
  value === undefined || !Number.isSafeInteger(value) ? {} : { [name]: value }
