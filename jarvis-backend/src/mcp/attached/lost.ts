import { errorCodes } from '../../lib/unreachable.ts'

/**
 * Conclusions about a failed call. `ran`: `no` if the server cannot have run the call. `isSession`: the server no longer knows the session and needs
 * a new `initialize`. `isGone`: the server may have stopped.
 */
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
/**
 * Matches messages of a proxy that lost the server's answer. Such a message may also come if the call itself ended the server, so the call may have
 * run.
 */
const aboutUpstream = /\bupstream|\btimed? ?-?out|\breset\b|\bdisconnect|\bclosed?\b|\brestart|\bshutting down\b/i

/**
 * Concludes from a failed request to a server over HTTP if the call ran and if the session exists. A JSON-RPC error in an answer with a good status
 * may come from the tool itself, so it does not show that the call did not run.
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
  // The SDK's own errors have codes too, for example if a call was given up. Only codes of the operating system count here.
  const codes = errorCodes(error).filter((one) => isSystems.test(one))
  return { ran: codes.some((one) => neverSent.has(one)) ? 'no' : 'unknown', isSession: false, isGone: codes.length > 0 }
}

/**
 * Returns the JSON-RPC error that a server sent with a status of 4xx; undefined for other errors. The error has the id of the request, so the server
 * has read the request.
 */
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

/** Returns the HTTP status of an error. The client of Streamable HTTP has it as a field; the client of SSE has it only in the message. */
function statusOf(error: unknown, said: string): number | undefined {
  if (!(error instanceof Error)) return undefined
  if ('status' in error && typeof error.status === 'number') return error.status
  const [, digits] = /^Error POSTing to endpoint \(HTTP (\d{3})\)/.exec(said) ?? []
  return digits === undefined ? undefined : Number(digits)
}
