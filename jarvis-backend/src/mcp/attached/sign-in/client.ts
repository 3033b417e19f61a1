import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client'
import type { AttachedServerConfig } from 'protocol'
import { isLoopbackHost } from '../../../lib/loopback.ts'
import { isNearHost } from '../../../lib/proxies.ts'
import { type Found, type ServerMetadata, SignInRefused } from './discovery.ts'
import type { Kept } from './tokens.ts'

export const callbackPath = '/api/mcp-servers/sign-in/callback'
export const clientPath = '/api/mcp-servers/sign-in/client'

/** The client document: it describes JARVIS to authorization servers that read such documents. */
export const clientDocument = (origin: string) => ({
  client_id: origin + clientPath,
  ...about(origin + callbackPath),
  token_endpoint_auth_method: 'none',
})
const about = (redirectUri: string) => ({
  client_name: 'JARVIS',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
})

/**
 * Returns the origin that serves a client's metadata document, taken from its `client_id`; undefined for a client that was registered dynamically or
 * configured by hand.
 */
export const originOfDocument = ({ client_id: id }: OAuthClientInformationMixed): string | undefined =>
  id.endsWith(clientPath) ? id.slice(0, -clientPath.length) : undefined

/** True if an authorization server no longer knows the client. */
export const isRefusedClient = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'invalid_client' ||
  (error as { code?: unknown }).code === 'unauthorized_client'

/**
 * True if an authorization server accepts JARVIS's document as a client and can reach it. A host name of the home network cannot be reached from
 * outside. Such a client has no secret.
 */
export function readsDocument(metadata: ServerMetadata, origin: string): boolean {
  const { client_id_metadata_document_supported: isRead, token_endpoint_auth_methods_supported: methods } = metadata
  const { protocol, hostname } = new URL(origin)
  return (
    isRead === true &&
    protocol === 'https:' &&
    methods?.includes('none') !== false &&
    (!isNearHost(hostname) || isNearHost(new URL(metadata.issuer).hostname))
  )
}

type Asking = {
  redirectUri: string
  origin: string
  before: Kept | undefined
  scopes: string[]
  fetchFn: typeof fetch
  /** Unix ms. */
  now: number
  /** JARVIS's client document was offered to this server, and the browser did not come back. */
  isDocumentUnread: boolean
}

/**
 * Returns the client that JARVIS uses at the authorization server. The order is that of the MCP specification: set by hand, by document, registered.
 * A client that was registered earlier is used until its secret ends or the authorization server refuses it. @throws SignInRefused
 */
export async function clientFor(
  { metadata }: Found,
  config: Extract<AttachedServerConfig, { url: string }>,
  asking: Asking,
): Promise<OAuthClientInformationMixed> {
  const { redirectUri, origin } = asking
  const { clientId, clientSecret } = config.oauth ?? {}
  if (clientId !== undefined) return { client_id: clientId, client_secret: clientSecret }
  const known = knownClient(asking, metadata.issuer)
  if (known !== undefined) return known
  const document = readsDocument(metadata, origin) ? { client_id: origin + clientPath } : undefined
  const mayRegister = metadata.registration_endpoint !== undefined
  if (document !== undefined && !(asking.isDocumentUnread && mayRegister)) return document
  const registered = mayRegister ? await register(metadata, asking) : 'it registers no programs'
  if (typeof registered !== 'string') return registered
  if (document !== undefined) return document
  throw new SignInRefused(
    `${new URL(metadata.issuer).host} does not know JARVIS, and ${registered}. Register a client there with the redirect address ${redirectUri}, and put its id into this server’s oauth.clientId in mcp.json.`,
  )
}

function knownClient({ before, redirectUri, now }: Asking, issuer: string): OAuthClientInformationMixed | undefined {
  if (before === undefined || before.isOwnClient || before.isClientRefused) return undefined
  if (before.metadata.issuer !== issuer || before.redirectUri !== redirectUri) return undefined
  const { client } = before
  // Unix s; 0: the secret never ends.
  const endsAt = 'client_secret_expires_at' in client ? (client.client_secret_expires_at ?? 0) : 0
  return endsAt > 0 && endsAt * 1_000 <= now ? undefined : client
}

/** Registers JARVIS as a client. @returns the client; if the server refused, the reason */
async function register(
  metadata: ServerMetadata,
  { redirectUri, origin, scopes, fetchFn }: Asking,
): Promise<OAuthClientInformationMixed | string> {
  const sdk = await import('@modelcontextprotocol/client')
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['none']
  try {
    return await sdk.registerClient(metadata.issuer, {
      metadata,
      clientMetadata: {
        ...about(redirectUri),
        application_type: isLoopbackHost(new URL(origin).hostname) ? 'native' : 'web',
        token_endpoint_auth_method: methods.includes('none') ? 'none' : (methods[0] ?? 'none'),
      },
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      fetchFn,
    })
  } catch (error) {
    if (!(error instanceof sdk.RegistrationRejectedError)) throw error
    return `it refused to register JARVIS (${error.status})`
  }
}
