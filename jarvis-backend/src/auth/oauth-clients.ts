import { JarvisError, readAs } from 'protocol'
import { z } from 'zod'
import { newId } from '../lib/ids.ts'
import type { PublicFetch } from '../lib/public-fetch.ts'
import { errorCodes, whyUnreachable } from '../lib/unreachable.ts'
import { OAuthError } from './oauth-error.ts'
import { isAllowedRedirect, redirectHost } from './oauth-redirects.ts'
import type { OAuthClient, OAuthStore } from './oauth-store.ts'

/** The parts of a client's RFC 7591 metadata that are used here. */
const Metadata = z.object({
  client_name: z.string().max(1_000).optional(),
  redirect_uris: z.array(z.string()).min(1).max(20),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
})
const Document = Metadata.extend({
  client_id: z.string(),
  client_name: z.string().min(1).max(1_000),
  // A public document can hold no secret, and JARVIS supports no other authentication of clients.
  token_endpoint_auth_method: z.literal('none').optional(),
  client_secret: z.undefined().optional(),
})

const hourMs = 3_600_000
const unusedClientMs = 24 * hourMs
const mostUnusedClients = 200
const mostDocuments = 100
/** Time for which documents are not offered after one could not be reached, ms. */
const unreachedMs = hourMs
const unreached = new Set([
  ...['ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'ENETUNREACH', 'EHOSTUNREACH', 'ECONNREFUSED', 'ECONNRESET', 'ABORT_ERR'],
])
/** Minimum and maximum time that a document is cached, ms. The server's `max-age` chooses a time between the two. */
const documentMs = [60_000, 24 * hourMs] as const

export interface OAuthClients {
  /** True if a client may give the address of a metadata document as its id. If JARVIS cannot reach the internet, clients register instead. */
  takesDocuments(): boolean
  /** Registers a client (RFC 7591), without a secret. @throws OAuthError `invalid_client_metadata`, `invalid_redirect_uri` */
  register(body: unknown): OAuthClient
  /** @throws JarvisError `invalid_request` for an unknown client, or one whose document cannot be fetched */
  find(id: string): Promise<OAuthClient>
}

/** Looks up OAuth clients: those that registered themselves, and those whose id is the https address of a metadata document. */
export function createOAuthClients(parts: {
  store: OAuthStore
  fetchDocument: PublicFetch
  now(): number
  before(keptMs: number): number
}): OAuthClients {
  const { store, fetchDocument, now } = parts
  const documents = new Map<string, { client: OAuthClient; until: number }>()
  let unreachedAt = Number.NEGATIVE_INFINITY

  async function fromDocument(id: string): Promise<OAuthClient> {
    const known = documents.get(id)
    if (known !== undefined && known.until > now()) return known.client
    documents.delete(id)
    const url = documentUrl(id)
    const { text, maxAgeS } = await fetchDocument(url).catch((cause: unknown) => {
      const isUnreached = errorCodes(cause).some((code) => unreached.has(code)) || String(cause).includes('too long')
      if (isUnreached) unreachedAt = now()
      const why = isUnreached ? whyUnreachable(cause) : cause instanceof Error ? cause.message : String(cause)
      const said = `What ${url.host} says of this client could not be fetched: ${why}.`
      throw new JarvisError('invalid_request', isUnreached ? `${said} ${wayOut}` : said, { cause })
    })
    unreachedAt = Number.NEGATIVE_INFINITY
    const parsed = Document.safeParse(parseJson(text))
    const isFit = parsed.success && parsed.data.client_id === id && problemOf(parsed.data) === undefined
    if (!isFit) throw new JarvisError('invalid_request', `What ${url.host} says of this client cannot be used.`)
    const { client_name, redirect_uris } = parsed.data
    const client = { id, name: shownName(client_name, redirect_uris), redirectUris: redirect_uris }
    const [least, most] = documentMs
    documents.set(id, { client, until: now() + Math.min(most, Math.max(least, maxAgeS * 1000)) })
    for (const oldest of documents.keys()) {
      if (documents.size <= mostDocuments) break
      documents.delete(oldest)
    }
    return client
  }

  return {
    takesDocuments: () => now() - unreachedAt >= unreachedMs,
    register(body: unknown): OAuthClient {
      const read = readAs(Metadata, body)
      if (!read.ok) {
        throw new OAuthError(
          'invalid_client_metadata',
          'A client has redirect_uris, 1 to 20, and perhaps a client_name.',
        )
      }
      const problem = problemOf(read.value)
      if (problem !== undefined) throw problem
      const { client_name, redirect_uris } = read.value
      const client = { id: newId('cli'), name: shownName(client_name, redirect_uris), redirectUris: redirect_uris }
      store.addClient(client, now())
      store.pruneClients(parts.before(unusedClientMs), mostUnusedClients)
      return client
    },
    async find(id: string): Promise<OAuthClient> {
      if (/^https:/i.test(id)) return fromDocument(id)
      const client = store.client(id)
      if (client === undefined) {
        throw new JarvisError('invalid_request', 'JARVIS does not know this client (any more). Add it again there.')
      }
      return client
    },
  }
}

const wayOut =
  'JARVIS has to reach that address itself, and perhaps has no way to the internet. Sign in again from the client: for an hour JARVIS asks clients to register themselves instead, which needs no internet. If the client cannot, give it a token as its Authorization header (Settings, or jarvis token create NAME --door mcp), or a client ID that you register by hand (docs/mcp-clients.md).'

/** Parses an id that is an address: https, default port, with a path, in normalised form. @throws JarvisError `invalid_request` */
function documentUrl(id: string): URL {
  const url = id.length <= 2_000 && URL.canParse(id) ? new URL(id) : undefined
  if (
    url?.protocol !== 'https:' ||
    url.href !== id ||
    url.pathname === '/' ||
    id.includes('#') ||
    url.username !== '' ||
    url.password !== '' ||
    url.port !== ''
  ) {
    throw new JarvisError(
      'invalid_request',
      'client_id: an address must be https with a path, and without port, user name or fragment.',
    )
  }
  return url
}

function problemOf(metadata: z.output<typeof Metadata>): OAuthError | undefined {
  const bad = metadata.redirect_uris.find((uri) => !isAllowedRedirect(uri))
  if (bad !== undefined) {
    return new OAuthError(
      'invalid_redirect_uri',
      'A redirect URI is https, or http on the loopback, and has no fragment.',
    )
  }
  const { grant_types: grants = ['authorization_code'], response_types: responses = ['code'] } = metadata
  if (grants.includes('authorization_code') && responses.includes('code')) return undefined
  return new OAuthError('invalid_client_metadata', 'Only the authorization code flow is served.')
}

/** A client's name in one line of at most 60 characters, without invisible characters. */
function shownName(name: string | undefined, redirectUris: readonly string[]): string {
  const shown = (name ?? '')
    .normalize('NFKC')
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
  return [...(shown === '' ? redirectHost(redirectUris[0] ?? '') : shown)].slice(0, 60).join('')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
