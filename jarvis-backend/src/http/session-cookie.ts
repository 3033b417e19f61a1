import { LoginReply, SignInReply } from 'protocol'
import type { SessionCookie } from '../auth/session-cookie.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'
import type { Route } from './route.ts'

/**
 * Wraps routes so that sign-ins are kept in a cookie if that is possible for the request. An answer that is a `LoginReply` then sets the cookie and
 * does not contain the token, and ends the sign-in of the previous cookie. Signing out clears the cookie.
 */
export function withSessionCookie(
  routes: readonly Route[],
  { cookie, tokens, ended }: { cookie: SessionCookie; tokens: Tokens; ended(identity: Identity): void },
): Route[] {
  function endEarlier(token: string | undefined) {
    if (token === undefined) return
    try {
      const identity = tokens.verify(token)
      tokens.revoke(identity)
      ended(identity)
    } catch {
      // The earlier sign-in had ended already.
    }
  }
  return routes.map((route) => {
    const signsIn = route.reply === LoginReply
    if (!signsIn && route.path !== '/auth/logout') return route
    return {
      ...route,
      ...(signsIn && { reply: SignInReply }),
      async handle(call) {
        const { request, response } = call
        const answer = await route.handle(call)
        if (!cookie.suits(request)) return answer
        if (!signsIn) {
          response.append('Set-Cookie', cookie.cleared)
          return answer
        }
        const { token, ...rest } = answer as LoginReply
        response.append('Set-Cookie', cookie.issue(token, rest.expiresIn))
        endEarlier(cookie.read(request))
        return rest satisfies SignInReply
      },
    }
  })
}
