import { faultAtProxy } from '../lib/unreachable.ts'
import type { Delivery } from './channel.ts'

/** Default time limit of a request to a service, ms. */
const usualMs = 15_000
const mostChars = 200

/** A service's answer. `at`: the time of the answer by the service's own clock, Unix ms, to the second; absent if the service gives no time. */
export type Answer = { status: number; text: string; retryAfterMs?: number; at?: number }

/**
 * Sends a request to a URL from the settings. Redirects are not followed. @throws Error with a message for people, without the URL, because the URL
 * may hold a secret
 */
export async function ask(
  url: string,
  {
    patienceMs = usualMs,
    ...init
  }: {
    method?: string
    headers?: Record<string, string>
    body?: string | FormData
    signal: AbortSignal
    patienceMs?: number
  },
): Promise<Answer> {
  try {
    const signal = AbortSignal.any([init.signal, AbortSignal.timeout(patienceMs)])
    const response = await fetch(url, { method: 'POST', redirect: 'manual', ...init, signal })
    const text = await response.text()
    const wait = retryAfterMs(response.headers.get('retry-after'))
    const at = Date.parse(response.headers.get('date') ?? '')
    const timed = Number.isNaN(at) ? {} : { at }
    return { status: response.status, text, ...timed, retryAfterMs: wait }
  } catch (error) {
    throw new Error(wordsOf(error))
  }
}

/**
 * Reads a file of a service. Redirects are not followed. @throws Error with a message for people, without the URL, because the URL may hold a secret
 */
export async function readBytes(url: string, mostBytes: number, signal: AbortSignal): Promise<Buffer> {
  let response: Response
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    response = await fetch(url, { redirect: 'manual', signal })
    if (response.ok)
      for await (const chunk of response.body ?? []) {
        size += chunk.length
        if (size > mostBytes) break
        chunks.push(chunk)
      }
  } catch (error) {
    throw new Error(`The file could not be read: ${wordsOf(error)}`)
  }
  if (!response.ok) throw new Error(`The file could not be read: it answered ${response.status}`)
  if (size > mostBytes) throw new Error(`The file is too large: it may have ${Math.floor(mostBytes / 1024 / 1024)} MB`)
  return Buffer.concat(chunks)
}

/**
 * Interprets a status: a later attempt may succeed after 429 and 5xx, but not after other failures. @param why the service's own error text, if it
 * gave one
 */
export function outcome(
  { status, retryAfterMs: wait }: Answer,
  why?: string,
): Exclude<Delivery, { kind: 'sent' }> | undefined {
  if (status >= 200 && status < 300) return undefined
  const words = `it answered ${status}${why === undefined || why === '' ? '' : `: ${why.slice(0, mostChars)}`}`
  if (status === 408 || status === 425 || status === 429 || status >= 500)
    return { kind: 'again', why: words, retryAfterMs: wait }
  return { kind: 'failed', why: words }
}

/** Makes one attempt. If the service cannot be reached, a later attempt follows. */
export async function attempted(send: () => Promise<Delivery>): Promise<Delivery> {
  try {
    return await send()
  } catch (error) {
    return { kind: 'again', why: error instanceof Error ? error.message : 'it could not be reached' }
  }
}

/** Returns the pause that a `Retry-After` header asks for, ms. The header holds seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) && ms > 0 ? ms : undefined
}

/** Returns the reason why a request failed. It is derived from the system's error code alone, because messages of `fetch` may quote the URL. */
function wordsOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } }
  if (name === 'TimeoutError') return 'it did not answer in time'
  if (name === 'AbortError') return 'JARVIS stopped'
  const atProxy = faultAtProxy(error)
  if (atProxy !== undefined) return `it could not be reached: ${atProxy.message}`
  return cause?.code === undefined ? 'it could not be reached' : `it could not be reached (${cause.code})`
}
