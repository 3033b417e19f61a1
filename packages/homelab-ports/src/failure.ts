import { JarvisError } from 'protocol'

/** A failed request to Proxmox. `words`: Proxmox's own message; `message`: JARVIS's message. */
export class ApiError extends JarvisError {
  declare readonly code: 'cluster_unreachable' | 'cluster_refused' | 'outcome_unknown'
  readonly words: string
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined

  constructor(
    code: 'cluster_unreachable' | 'cluster_refused' | 'outcome_unknown',
    message: string,
    more: { status?: number | undefined; words?: string; cause?: unknown } = {},
  ) {
    super(code, message, { cause: more.cause })
    this.status = more.status
    this.words = more.words ?? ''
  }
}

/** The same failure with another sentence after its message. */
export const withMore = (error: JarvisError, sentence: string): JarvisError => {
  const message = `${error.message} ${sentence}`
  if (!(error instanceof ApiError)) return new JarvisError(error.code, message, { cause: error })
  const { code, status, words } = error
  return new ApiError(code, message, { words, cause: error, status })
}

/** An answer of Proxmox. `date`: time by the server's clock, Unix ms, in whole seconds. */
export type Reply = { status: number; phrase: string; text: string; date?: number }

/**
 * True for the codes with which a proxying node reports that the other node does not answer: while connecting; during TLS, sending or headers;
 * during the body.
 */
export const isProxyFailure = (status: number) => status >= 595 && status <= 599
/** True for codes of a web server in front of Proxmox, which may or may not have passed the request on. */
const isGatewayFailure = (status: number) => status === 502 || status === 503 || status === 504

/** The rest of a sentence that begins with the address. Proxmox gives the same answer in all these cases. */
export const tokenRefused = (tokenId: string) =>
  `refuses the API token ${tokenId} (401): its secret is wrong, or the token or its user does not exist, is disabled or has expired; the answer is the same for all. Look under Datacenter, Permissions, at API Tokens and Users`

/** True if Proxmox says that the guest is not on the requested node. */
export const isAbsent = (error: unknown): boolean =>
  error instanceof ApiError && /^Configuration file .* does not exist/.test(error.words)

/** `host`: the address that answered. `node`: the node for which the request was, if any. `isChange`: true if the request may change something. */
type About = { host: string; tokenId: string; node?: string | undefined; isChange: boolean }

/** Translates an answer with a status of 400 or more. Only 595 proves that a changing request did not arrive. */
export function failureOf(reply: Reply, about: About): ApiError {
  const { status } = reply
  const words = wordsOf(reply)
  const who = about.node ?? 'The cluster'
  if ((isProxyFailure(status) && status !== 595) || isGatewayFailure(status)) {
    if (about.isChange) {
      const message = `The request was sent, and ${who} did not answer (${status}): whether it was carried out is not known.`
      return new ApiError('outcome_unknown', message, { status, words })
    }
  }
  if (isProxyFailure(status) || isGatewayFailure(status)) {
    const message = `${who} cannot be reached by the rest of the cluster (${status}${words === '' ? '' : `, ${words}`}).`
    return new ApiError('cluster_unreachable', message, { status, words })
  }
  if (status === 401) {
    const message = `Proxmox at ${about.host} ${tokenRefused(about.tokenId)}.`
    return new ApiError('cluster_unreachable', message, { status, words: words === '' ? 'token not accepted' : words })
  }
  if (status === 403) {
    const message = `The API token lacks a right: ${words}. Give its role that right, or use another token.`
    return new ApiError('cluster_refused', message, { status, words })
  }
  return new ApiError('cluster_refused', `Proxmox refused (${status}): ${words}.`, { status, words })
}

/** Returns the body's `message` and `errors`, otherwise the reason phrase. Proxmox before 2025 sent only the phrase. */
function wordsOf({ status, phrase, text }: Reply): string {
  const said = bodyOf(text)
  const details = Object.entries(said.errors).map(([name, problem]) => `${name}: ${problem}`)
  const first = said.message === '' ? phrase.trim() : said.message
  const all = [first, ...details].filter((part) => part !== '')
  return all.length === 0 ? `status ${status}` : all.join(' ').slice(0, 500)
}

function bodyOf(text: string): { message: string; errors: Record<string, string> } {
  try {
    const body = JSON.parse(text) as { message?: unknown; errors?: unknown } | null
    const errors = typeof body?.errors === 'object' && body.errors !== null ? body.errors : {}
    return {
      message: typeof body?.message === 'string' ? body.message.trim() : '',
      errors: Object.fromEntries(Object.entries(errors).map(([name, problem]) => [name, String(problem).trim()])),
    }
  } catch {
    return { message: '', errors: {} }
  }
}
