import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { whyUnreachable } from '../../../lib/unreachable.ts'
import { visible } from '../text.ts'
import { isSafeUrl } from './guarded-fetch.ts'

/** The sign-in that a server asked for when it refused a request (RFC 6750, 9728). */
export type Challenge = { metadataUrl?: string; scopes?: string[] }
/** The metadata of an authorization server. The SDK drops the revocation fields if they come from OpenID's document. */
export type ServerMetadata = AuthorizationServerMetadata & {
  revocation_endpoint?: string | undefined
  revocation_endpoint_auth_methods_supported?: string[] | undefined
}
/** The place to sign in to a server. `resource`: the resource that the tokens are for. `metadata`: the metadata of the authorization server. */
export type Found = { resource: string; metadata: ServerMetadata; scopes: string[] }
/** Thrown if a sign-in is not possible; the message says what to do. */
export class SignInRefused extends Error {}

export const scopesOf = (text: string | undefined): string[] => [...new Set((text ?? '').split(/\s+/).filter(Boolean))]

/**
 * Finds the authorization server of an attached server by RFC 9728, RFC 8414 and OpenID Connect Discovery. @param how.wanted the issuer to choose if
 * the server names several @throws SignInRefused if there is none that JARVIS may use
 */
export async function discover(
  server: URL,
  challenge: Challenge,
  { fetchFn, wanted }: { fetchFn: typeof fetch; wanted?: string | undefined },
): Promise<Found> {
  const sdk = await import('@modelcontextprotocol/client')
  const about = await protectedResource(server, challenge, fetchFn)
  if (
    about !== undefined &&
    !(
      URL.canParse(about.resource) &&
      sdk.checkResourceAllowed({ requestedResource: server, configuredResource: about.resource })
    )
  )
    throw new SignInRefused(
      `${server.host} says that its tokens are for ${visible(about.resource, 200)}, which is another resource. Nothing was sent.`,
    )
  // A server of the MCP specification 2025-03-26 is its own authorization server.
  const named = about?.authorization_servers?.length ? about.authorization_servers : [new URL('/', server).href]
  const issuers = wanted !== undefined && named.includes(wanted) ? [wanted] : named
  const problems: string[] = []
  for (const issuer of issuers.slice(0, 5)) {
    const found = await metadataOf(issuer, fetchFn)
    if (typeof found === 'string') problems.push(found)
    else {
      // The query may hold a key, so it is left out.
      const resource = about?.resource ?? new URL(server.pathname, server).href
      return { resource, metadata: found, scopes: challenge.scopes ?? about?.scopes_supported ?? [] }
    }
  }
  throw new SignInRefused(
    `${problems[0] ?? `${server.host} names no authorization server`}. If it takes a token, put that into this server’s headers in mcp.json.`,
  )
}

/**
 * Reads the metadata document of the attached server: at the address that the server named, otherwise at the standard addresses. Undefined if there
 * is none.
 */
async function protectedResource(
  server: URL,
  { metadataUrl }: Challenge,
  fetchFn: typeof fetch,
): Promise<OAuthProtectedResourceMetadata | undefined> {
  const { discoverOAuthProtectedResourceMetadata } = await import('@modelcontextprotocol/client')
  // Only a document at the server's own origin may describe the server.
  const named = metadataUrl !== undefined && URL.canParse(metadataUrl) ? new URL(metadataUrl) : undefined
  const places = [...(named?.origin === server.origin ? [{ resourceMetadataUrl: named }] : []), {}]
  for (const place of places) {
    try {
      return await discoverOAuthProtectedResourceMetadata(server, place, fetchFn)
    } catch (error) {
      // If the server cannot be reached, the missing document means nothing.
      if (error instanceof Error && 'code' in error && typeof error.code === 'string')
        throw new SignInRefused(`${server.host} cannot be asked how to sign in: ${whyUnreachable(error)}.`)
    }
  }
  return undefined
}

const Revocation = z.object({
  revocation_endpoint: z.string().optional(),
  revocation_endpoint_auth_methods_supported: z.array(z.string()).optional(),
})

/** Reads the metadata of an authorization server. @returns the metadata; if the authorization server cannot be used, the reason */
async function metadataOf(issuer: string, fetchFn: typeof fetch): Promise<ServerMetadata | string> {
  const sdk = await import('@modelcontextprotocol/client')
  const shown = visible(issuer, 200)
  if (!URL.canParse(issuer) || !isSafeUrl(new URL(issuer))) return `The authorization server ${shown} is not https`
  let metadata: ServerMetadata | undefined
  let said: Pick<ServerMetadata, 'revocation_endpoint' | 'revocation_endpoint_auth_methods_supported'> = {}
  const listening: typeof fetch = async (input, init) => {
    const response = await fetchFn(input, init)
    if (response.ok)
      said =
        Revocation.safeParse(
          await response
            .clone()
            .json()
            .catch(() => undefined),
        ).data ?? {}
    return response
  }
  try {
    const read = await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn: listening })
    metadata = read && { ...read, ...said }
  } catch (error) {
    if (error instanceof sdk.IssuerMismatchError)
      return `The authorization server ${shown} calls itself by another name`
    const why = error instanceof Error ? visible(error.message.replace(/\.$/, ''), 200) : 'it is not understood'
    return `The authorization server ${shown} cannot be used: ${why}`
  }
  if (metadata === undefined) return `${shown} does not say how to sign in`
  const { authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint } = metadata
  const endpoints = [authorization_endpoint, token_endpoint, registration_endpoint, revocation_endpoint]
  if (endpoints.some((url) => url !== undefined && !(URL.canParse(url) && isSafeUrl(new URL(url)))))
    return `The authorization server ${shown} names an address that is not https`
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true)
    return `The authorization server ${shown} does not protect a sign-in with PKCE (S256)`
  return metadata
}
