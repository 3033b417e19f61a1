import { errorCodes } from '../../lib/unreachable.ts'

/** `ran`: whether the server can have run the call. `isSession`: it no longer knows the session, so it wants `initialize` anew. */
export type Loss = { ran: 'no' | 'unknown'; isSession: boolean; isGone: boolean }

const neverSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])
const isSystems = /^(?:E[A-Z]+|EAI_AGAIN|UND_ERR_(?!ABORTED)[A-Z_]+)$/
const refusing = new Set([401, 403, 404, 405])
const aboutSession = /\bsession|before initiali[sz]ation|not initiali[sz]ed/i
/** The words of a proxy for an answer that it lost, also where the call itself ended the server. */
const aboutUpstream = /\bupstream|\btimed? ?-?out|\breset\b|\bdisconnect|\bclosed?\b|\brestart|\bshutting down\b/i

/**
 * What a failed request to a server over HTTP says about the call and the session. A JSON-RPC error in a good answer may come from the tool
 * itself, so it proves nothing about a run.
 */
export function lossOf(error: unknown): Loss {
  const said = error instanceof Error ? error.message : String(error)
  const status = statusOf(error, said)
  if (status !== undefined) {
    const isRefused = status === 503 && aboutSession.test(said) && !aboutUpstream.test(said)
    const isSession = status === 404 || (status === 400 && aboutSession.test(said)) || isRefused
    const isGone = status >= 502 && status <= 504
    return { ran: isSession || refusing.has(status) ? 'no' : 'unknown', isSession, isGone }
  }
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code === 'number')
    return { ran: 'unknown', isSession: code <= -32000 && code >= -32602 && aboutSession.test(said), isGone: false }
  // The SDK's own errors, such as the end of a call that was given up, have codes too.
  const codes = errorCodes(error).filter((one) => isSystems.test(one))
  return { ran: codes.some((one) => neverSent.has(one)) ? 'no' : 'unknown', isSession: false, isGone: codes.length > 0 }
}

/** The JSON-RPC error that a server sent with a status of 4xx. It names the request, so that the server has read it. */
export function answerIn(error: unknown): Error | undefined {
  if (!(error instanceof Error) || !('data' in error)) return undefined
  const { status = 0, text } = (error.data ?? {}) as { status?: number; text?: unknown }
  if (status < 400 || status >= 500 || typeof text !== 'string') return undefined
  try {
    const { id, error: told } = JSON.parse(text) as { id?: unknown; error?: { code?: unknown; message?: unknown } }
    const isNamed = typeof id === 'number' || typeof id === 'string'
    if (!isNamed || typeof told?.code !== 'number' || typeof told.message !== 'string') return undefined
    return Object.assign(new Error(told.message), { code: told.code })
  } catch {
    return undefined
  }
}

/** The client of Streamable HTTP gives the status as a field, that of SSE only in its words. */
function statusOf(error: unknown, said: string): number | undefined {
  if (!(error instanceof Error)) return undefined
  if ('status' in error && typeof error.status === 'number') return error.status
  const [, digits] = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(said) ?? []
  return digits === undefined ? undefined : Number(digits)
}
