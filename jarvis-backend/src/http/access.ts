import type { RequestHandler } from 'express'
import { type Door, JarvisError } from 'protocol'
import { isApiToken } from '../auth/api-token-secret.ts'
import { type Bearer, bearerOf } from '../auth/bearer.ts'
import type { OpenRequests } from '../auth/open-requests.ts'
import { countsAsMuch } from '../auth/roles.ts'
import type { SessionCookie } from '../auth/session-cookie.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'

/**
 * Requires the token of a signed-in person or of a program, in `Authorization: Bearer` and never in a query string. A person's token may also be in
 * the session cookie. Stores the identity, and a check that the token is still valid, for the route.
 */
export type Access = {
  /** Requires a person's token. @throws JarvisError `unauthorized`, `token_expired`; `forbidden` for a program's token */
  person: RequestHandler
  /** Requires a person's token, or a program's for the door. @throws JarvisError as `person` and `Bearer.verify` */
  door(door: Door): RequestHandler
}

export function createAccess(parts: {
  tokens: Pick<Tokens, 'verify' | 'again'>
  bearer: Bearer
  open: OpenRequests
  cookie: Pick<SessionCookie, 'read'>
  /** Counts a request of a person. @throws JarvisError `too_many_requests` */
  count(person: string): void
}): Access {
  const { tokens, bearer, open, cookie, count } = parts
  const guard =
    (door: Door | undefined): RequestHandler =>
    (request, response, next) => {
      const given = bearerOf(request) ?? cookie.read(request)
      if (given === undefined) throw new JarvisError('unauthorized', 'Sign in first.')
      if (!isApiToken(given)) {
        const identity = tokens.verify(given)
        count(identity.person.id)
        response.locals.identity = identity
        response.locals.stillCounts = () => {
          if (countsAsMuch(tokens.again(identity).person.role, identity.person.role)) return
          throw new JarvisError('unauthorized', 'You have another role now. Ask again.')
        }
      } else if (door === undefined) {
        throw new JarvisError('forbidden', 'A token of a program cannot do this. Sign in with the password.')
      } else {
        const verified = bearer.verify(request, door)
        const { token, person, stillCounts } = verified
        open.add(response, verified)
        // Mark the answer as a stream, because a stop of the server does not wait for answers of the API.
        open.isStream(response)
        const exp = Math.floor((token.expiresAt ?? Number.MAX_SAFE_INTEGER) / 1000)
        // The role is that of a reader. Each route declares what else a token may do.
        const identity: Identity = { sub: `token:${token.name}`, role: 'viewer', person, exp, tokenHash: '', token }
        response.locals.identity = identity
        response.locals.stillCounts = stillCounts
      }
      next()
    }
  return { person: guard(undefined), door: guard }
}
