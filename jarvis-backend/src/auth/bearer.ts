import type { IncomingMessage } from 'node:http'
import { type Door, JarvisError, type PersonRef } from 'protocol'
import { type ApiToken, type ApiTokens, requireDoor } from './api-tokens.ts'
import { resourceOf, scopes } from './oauth-requests.ts'
import { type OAuthSecrets, usualRate } from './oauth-secrets.ts'
import type { People } from './people.ts'
import type { OriginOf } from './public-origin.ts'
import { countsAsMuch, isAtLeast } from './roles.ts'

/**
 * `person`: the person in whose name the program acts. `stillCounts`: a check for requests that stay open: it throws the errors of `verify` once the
 * token is no longer valid.
 */
export type Verified = { token: ApiToken; person: PersonRef; stillCounts(): void }

/** Checks which program makes a request. The program has an API token, or an OAuth access token of an MCP client that an operator allowed. */
export type Bearer = {
  /**
   * Reads the `Authorization` header only, and counts the request.
   * @throws JarvisError `unauthorized`, `token_expired`; `forbidden` if the token is not valid at `door`; `too_many_requests` beyond the token's rate
   */
  verify(request: Pick<IncomingMessage, 'headers'>, door: Door): Verified
  /** The header `WWW-Authenticate` for a 401 at `/mcp`: the address at which a client can sign in, and the scope (RFC 9728, RFC 6750). */
  challenge(request: IncomingMessage): string
}

/** The bearer token of a request's `Authorization` header; undefined if there is none. */
export const bearerOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined =>
  /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]

export function createBearer({
  tokens,
  oauth,
  people,
  originOf,
  count,
}: {
  tokens: Pick<ApiTokens, 'verify'>
  people: Pick<People, 'inNameOf'>
  oauth: OAuthSecrets
  originOf: OriginOf
  /** @throws JarvisError `too_many_requests` */
  count(token: ApiToken): void
}): Bearer {
  /** A token ends with the person who made it, and may never do more than this person. @throws JarvisError `unauthorized` */
  function held(token: ApiToken): { token: ApiToken; person: PersonRef } {
    const person = people.inNameOf(token.person)
    if (person === undefined || person.disabledAt !== undefined) {
      throw new JarvisError(
        'unauthorized',
        `Whoever made the token ${token.name} cannot sign in any more. Make another one.`,
      )
    }
    const { id, name, role } = person
    const scope = isAtLeast(role, 'member') ? token.scope : 'read'
    return { token: scope === token.scope ? token : { ...token, scope }, person: { id, name, role } }
  }
  /**
   * Checks the token again, for a request that stays open. @throws JarvisError `unauthorized` if its person has lesser rights than at the start of
   * the request
   */
  function stillHeld(token: ApiToken, before: PersonRef) {
    if (countsAsMuch(held(token).person.role, before.role)) return
    throw new JarvisError('unauthorized', `Whoever made the token ${token.name} has another role now. Ask again.`)
  }
  return {
    verify(request, door) {
      const bearer = bearerOf(request)
      if (bearer === undefined) {
        throw new JarvisError('unauthorized', `Send a token of the door ${door}: Authorization: Bearer jarvis_…`)
      }
      if (!bearer.startsWith('jmat_')) {
        const token = tokens.verify(bearer, door)
        const holder = held(token)
        count(token)
        return { ...holder, stillCounts: () => stillHeld(tokens.verify(bearer, door), holder.person) }
      }
      const token = oauth.verify(bearer, resourceOf(originOf(request)))
      requireDoor(token, door)
      const holder = held(token)
      // Earlier releases stored no rate with a consent.
      count({ ...token, requestsPerMinute: token.requestsPerMinute ?? usualRate })
      return {
        ...holder,
        stillCounts() {
          oauth.requireConsent(token.name)
          stillHeld(token, holder.person)
        },
      }
    },
    challenge(request) {
      const about = `resource_metadata="${originOf(request)}/.well-known/oauth-protected-resource/mcp", scope="${scopes.read} ${scopes.ask}"`
      return `Bearer ${bearerOf(request) === undefined ? '' : 'error="invalid_token", '}${about}`
    },
  }
}
