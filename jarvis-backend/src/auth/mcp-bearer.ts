import type { IncomingMessage } from 'node:http'
import { JarvisError } from '../protocol/index.ts'
import type { McpToken, McpTokens } from './mcp-tokens.ts'
import { resourceOf, scopes } from './oauth-requests.ts'
import type { OAuthSecrets } from './oauth-secrets.ts'
import type { OriginOf } from './public-origin.ts'

/** `stillCounts` throws as `verify` does once the token is no longer valid; for requests that stay open. */
export type Verified = { token: McpToken; stillCounts(): void }

/** Checks who uses `/mcp`: an MCP token, or an OAuth access token of a client that an operator allowed. */
export type McpBearer = {
  /** Reads the `Authorization` header only. @throws JarvisError `unauthorized`, `token_expired` */
  verify(request: IncomingMessage): Verified
  /** `WWW-Authenticate` for a 401: where a client can sign in and for what (RFC 9728, RFC 6750). */
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
