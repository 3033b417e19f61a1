import { type Request, type RequestHandler, Router } from 'express'
import type { ClientAddressOf } from '../auth/client-address.ts'
import type { DeviceCookie } from '../auth/device-cookie.ts'
import { type Budget, type LoginGuard, signedInBudgets, signInBudgets } from '../auth/login.ts'
import type { Password } from '../auth/password.ts'
import { elevationMs, type StepUp } from '../auth/step-up.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'
import {
  JarvisError,
  LoginBody,
  type LoginReply,
  PasswordBody,
  StepUpBody,
  type StepUpReply,
} from '../protocol/index.ts'
import { identityOf, operatorOnly, read } from './handle.ts'

/** `client`: the browser's user agent, unchecked. */
export type SignInEvent = {
  what: 'signed_in' | 'refused' | 'signed_out' | 'password_changed' | 'stepped_up' | 'step_up_refused'
  by: string
  address: string
  client: string
}

export type SignIn = {
  tokens: Tokens
  /** Requires a person's token. */
  person: RequestHandler
  guard: LoginGuard
  password: Password
  stepUp: StepUp
  device: DeviceCookie
  addressOf: ClientAddressOf
  /** Writes to the journal. */
  record(event: SignInEvent): void
  /** Drops the sockets of a token that was revoked. */
  revoked(identity: Identity): void
  /** Drops all sockets after a change of the password. */
  changed(): void
}

/** `/api/auth`: sign in and out, change the password, step up. */
export function authRoutes(parts: SignIn): Router {
  const { tokens, person, guard, password: kept, stepUp, device, addressOf, record, revoked, changed } = parts
  const router = Router()
  const note = (request: Request, what: SignInEvent['what'], by: string) =>
    record({
      what,
      by,
      address: addressOf(request).address,
      client: (request.headers['user-agent'] ?? '').slice(0, 200),
    })

  /** Checks a password and counts wrong ones against `budgets`. @throws JarvisError `too_many_requests`, `invalid_credentials` */
  async function requirePassword(given: string, budgets: Budget[], refused: () => string) {
    const succeeded = guard.enter(budgets)
    if (!(await kept.is(given))) throw new JarvisError('invalid_credentials', refused())
    succeeded()
  }
  const refuse = (request: Request, what: SignInEvent['what'], by: string, message: string) => () => {
    note(request, what, by)
    return message
  }

  router.post('/login', async (request, response) => {
    const { password } = read(LoginBody, request.body)
    const known = device.read(request.headers.cookie)
    const refused = refuse(request, 'refused', '', 'That is not the password.')
    await requirePassword(password, signInBudgets(addressOf(request), known), refused)
    note(request, 'signed_in', 'operator')
    const reply: LoginReply = { ...tokens.issue('operator', 'operator'), role: 'operator' }
    response.set('Set-Cookie', device.issue()).json(reply)
  })
  router.post('/step-up', person, operatorOnly, async (request, response) => {
    const identity = identityOf(response)
    const { password } = read(StepUpBody, request.body)
    const refused = refuse(request, 'step_up_refused', identity.sub, 'That is not the password.')
    await requirePassword(password, signedInBudgets(addressOf(request), identity.tokenHash), refused)
    note(request, 'stepped_up', identity.sub)
    stepUp.elevate(identity)
    response.json({ expiresIn: elevationMs / 1000 } satisfies StepUpReply)
  })
  router.post('/password', person, operatorOnly, async (request, response) => {
    const { sub, role, tokenHash } = identityOf(response)
    const { current, next } = read(PasswordBody, request.body)
    const refused = refuse(request, 'step_up_refused', sub, 'That is not the present password.')
    await requirePassword(current, signedInBudgets(addressOf(request), tokenHash), refused)
    kept.change(next)
    note(request, 'password_changed', sub)
    stepUp.endAll()
    changed()
    const reply: LoginReply = { ...tokens.issue(sub, role), role }
    response.json(reply)
  })
  router.post('/logout', person, (request, response) => {
    const identity = identityOf(response)
    tokens.revoke(identity)
    stepUp.end(identity)
    note(request, 'signed_out', identity.sub)
    revoked(identity)
    response.json({ ok: true })
  })
  return router
}
