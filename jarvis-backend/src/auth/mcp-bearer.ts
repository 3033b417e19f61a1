import type { IncomingMessage } from 'node:http'
import { JarvisError } from '../protocol/index.ts'
import type { McpToken, McpTokens } from './mcp-tokens.ts'
import { resourceOf, scopes } from './oauth-requests.ts'
import type { OAuthSecrets } from './oauth-secrets.ts'
import type { OriginOf } from './public-origin.ts'

/** `stillCounts`: for as long as the request is open; throws as `verify` does. */
export type Verified = { token: McpToken; stillCounts(): void }

/** Who may use `/mcp`: a token that was made for it, or a client that an operator signed in. */
export type McpBearer = {
  /** Counts in the `Authorization` header alone. @throws JarvisError `unauthorized`, `token_expired` */
  verify(request: IncomingMessage): Verified
  /** The `WWW-Authenticate` of a 401: where and for what a client can be signed in (RFC 9728, RFC 6750). */
  challenge(request: IncomingMessage): string
}

export function createMcpBearer({
  tokens,
  oauth,
  originOf,
}: {
  tokens: McpTokens
  oauth: OAuthSecrets
  originOf: OriginOf
}): McpBearer {
  const bearerOf = ({ headers }: IncomingMessage) => /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  return {
    verify(request) {
      const bearer = bearerOf(request)
      if (bearer === undefined) {
        throw new JarvisError('unauthorized', 'Send an MCP token: Authorization: Bearer jmcp_…')
      }
      if (!bearer.startsWith('jmat_')) {
        return { token: tokens.verify(bearer), stillCounts: () => void tokens.verify(bearer) }
      }
      const token = oauth.verify(bearer, resourceOf(originOf(request)))
      return { token, stillCounts: () => oauth.requireConsent(token.name) }
    },
    challenge(request) {
      const about = `resource_metadata="${originOf(request)}/.well-known/oauth-protected-resource/mcp", scope="${scopes.read} ${scopes.ask}"`
      return `Bearer ${bearerOf(request) === undefined ? '' : 'error="invalid_token", '}${about}`
    },
  }
}
