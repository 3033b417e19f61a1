import { type RequestHandler, Router } from 'express'
import type { LoginGuard } from '../auth/login.ts'
import type { Password } from '../auth/password.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'
import { JarvisError, LoginBody, type LoginReply, PasswordBody } from '../protocol/index.ts'
import { identityOf, operatorOnly, read } from './handle.ts'

export type SignIn = {
  tokens: Tokens
  guard: LoginGuard
  password: Password
  /** For the journal. */
  signedIn(address: string, ok: boolean): void
  /** Drops the sockets of a token that was revoked. */
  revoked(identity: Identity): void
  /** Drops all sockets: the password was changed. */
  changed(): void
}

/** `Authorization: Bearer`; never a query string. */
export const requireToken =
  (tokens: Tokens): RequestHandler =>
  (request, response, next) => {
    const [, token] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    if (token === undefined) throw new JarvisError('unauthorized', 'Sign in first.')
    response.locals.identity = tokens.verify(token)
    next()
  }

export function authRoutes({ tokens, guard, password: kept, signedIn, revoked, changed }: SignIn): Router {
  const router = Router()
  router.post('/login', async (request, response) => {
    const address = request.socket.remoteAddress ?? ''
    guard.check(address)
    const { password } = read(LoginBody, request.body)
    // Counted before it is known to be wrong, so that many at once are not all let through.
    guard.failed(address)
    if (!(await kept.is(password))) {
      signedIn(address, false)
      throw new JarvisError('invalid_credentials', 'That is not the password.')
    }
    guard.succeeded(address)
    signedIn(address, true)
    const reply: LoginReply = { ...tokens.issue('operator', 'operator'), role: 'operator' }
    response.json(reply)
  })
  router.post('/password', requireToken(tokens), operatorOnly, async (request, response) => {
    const address = request.socket.remoteAddress ?? ''
    guard.check(address)
    const { current, next } = read(PasswordBody, request.body)
    guard.failed(address)
    if (!(await kept.is(current))) throw new JarvisError('invalid_credentials', 'That is not the present password.')
    guard.succeeded(address)
    kept.change(next)
    changed()
    const { sub, role } = identityOf(response)
    const reply: LoginReply = { ...tokens.issue(sub, role), role }
    response.json(reply)
  })
  router.post('/logout', requireToken(tokens), (_request, response) => {
    const identity = identityOf(response)
    tokens.revoke(identity)
    revoked(identity)
    response.json({ ok: true })
  })
  return router
}
