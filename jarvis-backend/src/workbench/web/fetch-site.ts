import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP } from 'node:net'
import { isHomeAddress } from '../../lib/home-address.ts'
import { type Judging, judgedAddresses } from '../../lib/judged-addresses.ts'
import { isPublicAddress } from '../../lib/public-address.ts'
import { agentTo } from '../../lib/way-out.ts'
import type { IsOwnPlace } from '../egress/own-place.ts'
import { addressProblem, siteOf } from './address.ts'
import { NotFetched } from './not-fetched.ts'
import { type BodyLimits, readBody } from './unpack.ts'

/** An answer with its body unpacked. `type`: the media type, in lower case. `hops`: the URLs that redirected here, first one first. */
export type Fetched = {
  url: URL
  hops: readonly URL[]
  status: number
  type: string
  charset?: string
  body: Buffer
  wireBytes: number
}

/**
 * Requests a page. @param asked `listed`: policy.yaml lists the site of `url` as one of the home network @throws NotFetched, or the signal's reason
 */
export type FetchSite = (url: URL, asked: { listed: boolean; signal: AbortSignal }) => Promise<Fetched>

export type FetchParts = Judging &
  Partial<BodyLimits> & {
    /** Certificate of a test's own certificate authority, PEM. */
    ca?: string
    timeoutMs?: number
    /** Returns true if an IP address may be used for a site that policy.yaml lists. */
    isHome?: (address: string) => boolean
    isOwn?: IsOwnPlace
    /** Replaces `addressProblem`, because the sites of tests use other ports. */
    problemOf?: typeof addressProblem
  }

const mostRedirects = 5
const mostHeaderBytes = 32_768
const redirects = new Set([301, 302, 303, 307, 308])
/** Media types of texts, including `text/*`. */
const readable =
  /^(?:text\/|application\/(?:[\w.+-]+\+)?(?:json|xml)$|application\/(?:javascript|yaml|x-yaml|toml|x-ndjson)$)/

/**
 * Makes the only function that requests web pages: GET requests without cookies or credentials. The URL and each redirect are checked on their own.
 * A host is resolved once, all its IP addresses must be allowed, and the connection goes to one of them. A redirect never leads to another site of
 * the home network.
 */
export function createFetchSite(parts: FetchParts = {}): FetchSite {
  const { timeoutMs = 20_000, isAllowed = isPublicAddress, isHome = isHomeAddress, problemOf = addressProblem } = parts
  const { isOwn = () => false } = parts
  const limits = { mostWireBytes: parts.mostWireBytes ?? 5_000_000, mostBytes: parts.mostBytes ?? 10_000_000 }

  /** Requests one URL. The caller reads the answer's body. */
  async function ask(url: URL, listed: boolean, signal: AbortSignal): Promise<IncomingMessage> {
    const problem = problemOf(url, listed)
    if (problem !== undefined) throw new NotFetched(problem)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
    if (isOwn(host, port)) throw new NotFetched('it is JARVIS itself')
    const judging = {
      resolve: parts.resolve,
      isAllowed: (address: string) =>
        !isOwn(host, port, address) && (isAllowed(address) || (listed && isHome(address))),
    }
    const addresses = await judgedAddresses(url.hostname, judging, signal).catch((error: Error) => {
      throw new NotFetched(wordsOf(error, url))
    })
    return requestTo(url, addresses, { signal, ca: parts.ca })
  }

  async function follow(first: URL, listed: boolean, signal: AbortSignal): Promise<Fetched> {
    const hops: URL[] = []
    let url = first
    for (;;) {
      const response = await ask(url, listed && siteOf(url) === siteOf(first), signal)
      const status = response.statusCode ?? 0
      const { location } = response.headers
      if (!redirects.has(status) || location === undefined) return await landed(response, { url, hops, status }, signal)
      response.destroy()
      if (hops.length === mostRedirects) throw new NotFetched(`it redirects more than ${mostRedirects} times`)
      if (!URL.canParse(location, url.href)) throw new NotFetched('it redirects to an address that cannot be read')
      const next = new URL(location, url.href)
      if (url.protocol === 'https:' && next.protocol === 'http:')
        throw new NotFetched('it redirects from https to http, where anybody between can change it')
      hops.push(url)
      url = next
    }
  }

  async function landed(
    response: IncomingMessage,
    { url, hops, status }: Pick<Fetched, 'url' | 'hops' | 'status'>,
    signal: AbortSignal,
  ): Promise<Fetched> {
    try {
      if (status < 200 || status > 299) throw new NotFetched(`it answered ${status}${statusWords(status)}`)
      const [media = '', ...more] = (response.headers['content-type'] ?? '').toLowerCase().split(';')
      const type = media.trim()
      if (type !== '' && !readable.test(type))
        throw new NotFetched(`it is ${plainType(type)}, and only text, JSON and XML are read`)
      const charset = more.flatMap((part) => /^\s*charset\s*=\s*"?([\w:.-]{1,40})"?\s*$/.exec(part)?.[1] ?? [])[0]
      const { body, wireBytes } = await readBody(response, limits, signal)
      return { url, hops, status, type, body, wireBytes, charset }
    } finally {
      response.destroy()
    }
  }

  return async (url, { listed, signal }) => {
    const limit = AbortSignal.timeout(timeoutMs)
    const both = AbortSignal.any([signal, limit])
    try {
      return await follow(url, listed, both)
    } catch (error) {
      signal.throwIfAborted()
      if (limit.aborted) throw new NotFetched(`it took longer than ${timeoutMs / 1000} s`)
      throw error instanceof NotFetched ? error : new NotFetched(wordsOf(error as Error, url))
    }
  }
}

/**
 * Sends one GET request over a new connection to one of the checked IP addresses. The host name stays in the request, and the certificate must match
 * it.
 */
function requestTo(
  url: URL,
  addresses: readonly string[],
  more: Pick<RequestOptions, 'signal'> & { ca?: string },
): Promise<IncomingMessage> {
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  const [{ address, family } = { address: '', family: 4 }] = all
  return new Promise((done, failed) => {
    const send = url.protocol === 'https:' ? requestSecure : request
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // A proxy is asked for the checked IP address. An address of the home network is reached without the proxy.
    const through = isHomeAddress(address) ? undefined : agentTo(url, { keepsAlive: false })
    const asked = send(
      {
        ...more,
        hostname: through === undefined ? host : address,
        ...(through !== undefined && isIP(host) === 0 && { servername: host }),
        ...(url.port !== '' && { port: Number(url.port) }),
        path: url.pathname + url.search,
        // Node does not use its resolver, because only these IP addresses were checked.
        lookup: (_host, options, found) => (options.all ? found(null, all) : found(null, address, family)),
        agent: through ?? false,
        maxHeaderSize: mostHeaderBytes,
        headers: {
          host: url.host,
          'user-agent': 'Mozilla/5.0 (compatible; JARVIS web_fetch)',
          accept:
            'text/markdown, text/html, application/xhtml+xml, application/json, text/*;q=0.9, application/xml;q=0.8',
          'accept-encoding': 'gzip, br',
        },
      },
      done,
    )
    asked.on('error', failed)
    asked.end()
  })
}

const sayings: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name leads nowhere',
  EAI_AGAIN: 'no name could be resolved; is this machine online?',
  ECONNREFUSED: 'nothing answers there',
  ECONNRESET: 'it broke the connection off',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ETIMEDOUT: 'it does not answer',
  HPE_HEADER_OVERFLOW: `its headers are larger than ${mostHeaderBytes / 1024} KB`,
  ERR_STREAM_PREMATURE_CLOSE: 'it broke the connection off',
}

function wordsOf(error: Error & { code?: string; errors?: (Error & { code?: string })[] }, url: URL): string {
  const code = error.code ?? error.errors?.[0]?.code ?? ''
  const known = sayings[code]
  if (known !== undefined) return known
  if (code.startsWith('HPE_')) return 'it does not speak HTTP'
  if (/CERT|SELF_SIGNED|ISSUER|ALTNAME/.test(code)) return `the certificate of ${url.hostname} is not trusted (${code})`
  return code === '' ? error.message : `the connection failed (${code})`
}

const plainType = (type: string) => type.replace(/[^\w/.+-]/g, '').slice(0, 60)

function statusWords(status: number): string {
  if (status === 401 || status === 403) return ': it lets nobody in without signing in, or no programs'
  if (status === 404 || status === 410) return ': there is no such page'
  if (status === 429) return ': it was asked too often'
  return status >= 500 ? ': the site has a fault' : ''
}
