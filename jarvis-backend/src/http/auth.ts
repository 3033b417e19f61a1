import { type Request, type RequestHandler, Router } from 'express'
import type { LoginGuard } from '../auth/login.ts'
import type { Password } from '../auth/password.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'
import { JarvisError, LoginBody, type LoginReply, PasswordBody } from '../protocol/index.ts'
import { identityOf, operatorOnly, read } from './handle.ts'

/** `client`: what the browser calls itself, not checked. */
export type SignInEvent = {
  what: 'signed_in' | 'refused' | 'signed_out' | 'password_changed'
  by: string
  address: string
  client: string
}

export type SignIn = {
  tokens: Tokens
  guard: LoginGuard
  password: Password
  /** For the journal. */
  record(event: SignInEvent): void
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

export function authRoutes({ tokens, guard, password: kept, record, revoked, changed }: SignIn): Router {
  const router = Router()
  const note = (request: Request, what: SignInEvent['what'], by: string) =>
    record({ what, by, address: addressOf(request), client: (request.headers['user-agent'] ?? '').slice(0, 200) })

  router.post('/login', async (request, response) => {
    const address = addressOf(request)
    guard.check(address)
    const { password } = read(LoginBody, request.body)
    // Counted before it is known to be wrong, so that many at once are not all let through.
    guard.failed(address)
    if (!(await kept.is(password))) {
      note(request, 'refused', '')
      throw new JarvisError('invalid_credentials', 'That is not the password.')
    }
    guard.succeeded(address)
    note(request, 'signed_in', 'operator')
    const reply: LoginReply = { ...tokens.issue('operator', 'operator'), role: 'operator' }
    response.json(reply)
  })
  router.post('/password', requireToken(tokens), operatorOnly, async (request, response) => {
    const address = addressOf(request)
    guard.check(address)
    const { current, next } = read(PasswordBody, request.body)
    guard.failed(address)
    if (!(await kept.is(current))) throw new JarvisError('invalid_credentials', 'That is not the present password.')
    guard.succeeded(address)
    kept.change(next)
    const { sub, role } = identityOf(response)
    note(request, 'password_changed', sub)
    changed()
    const reply: LoginReply = { ...tokens.issue(sub, role), role }
    response.json(reply)
  })
  router.post('/logout', requireToken(tokens), (request, response) => {
    const identity = identityOf(response)
    tokens.revoke(identity)
    note(request, 'signed_out', identity.sub)
    revoked(identity)
    response.json({ ok: true })
  })
  return router
}

const addressOf = (request: Request) => request.socket.remoteAddress ?? ''
