import type { IncomingMessage } from 'node:http'
import { type Door, JarvisError } from '../protocol/index.ts'
import { type ApiToken, type ApiTokens, requireDoor } from './api-tokens.ts'
import { resourceOf, scopes } from './oauth-requests.ts'
import type { OAuthSecrets } from './oauth-secrets.ts'
import type { OriginOf } from './public-origin.ts'

/** `stillCounts` throws as `verify` does once the token is no longer valid; for requests that stay open. */
export type Verified = { token: ApiToken; stillCounts(): void }

/** Checks which program uses a door: by an API token, or by the OAuth access token of an MCP client that an operator allowed. */
export type Bearer = {
  /** Reads the `Authorization` header only. @throws JarvisError `unauthorized`, `token_expired`; `forbidden` for a token of another door */
  verify(request: Pick<IncomingMessage, 'headers'>, door: Door): Verified
  /** `WWW-Authenticate` for a 401 at `/mcp`: where a client can sign in and for what (RFC 9728, RFC 6750). */
  challenge(request: IncomingMessage): string
}

/** The bearer of a request's `Authorization` header; undefined where there is none. */
export const bearerOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined =>
  /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]

export function createBearer({
  tokens,
  oauth,
  originOf,
}: {
  tokens: Pick<ApiTokens, 'verify'>
  oauth: OAuthSecrets
  originOf: OriginOf
}): Bearer {
  return {
    verify(request, door) {
      const bearer = bearerOf(request)
      if (bearer === undefined) {
        throw new JarvisError('unauthorized', `Send a token of the door ${door}: Authorization: Bearer jarvis_…`)
      }
      if (!bearer.startsWith('jmat_')) {
        return { token: tokens.verify(bearer, door), stillCounts: () => void tokens.verify(bearer, door) }
      }
      const token = oauth.verify(bearer, resourceOf(originOf(request)))
      requireDoor(token, door)
      return { token, stillCounts: () => oauth.requireConsent(token.name) }
    },
    challenge(request) {
      const about = `resource_metadata="${originOf(request)}/.well-known/oauth-protected-resource/mcp", scope="${scopes.read} ${scopes.ask}"`
      return `Bearer ${bearerOf(request) === undefined ? '' : 'error="invalid_token", '}${about}`
    },
  }
}
