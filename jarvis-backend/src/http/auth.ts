import type { Request } from 'express'
import type { ClientAddressOf } from '../auth/client-address.ts'
import type { DeviceCookie } from '../auth/device-cookie.ts'
import { type Budget, type LoginGuard, signedInBudgets, signInBudgets } from '../auth/login.ts'
import type { Password } from '../auth/password.ts'
import { elevationMs, type StepUp } from '../auth/step-up.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'
import { JarvisError, LoginBody, LoginReply, PasswordBody, StepUpBody, StepUpReply } from '../protocol/index.ts'
import { Ok, ok, post, type Route } from './route.ts'

/** `client`: the browser's user agent, unchecked. */
export type SignInEvent = {
  what: 'signed_in' | 'refused' | 'signed_out' | 'password_changed' | 'stepped_up' | 'step_up_refused'
  by: string
  address: string
  client: string
}

export type SignIn = {
  tokens: Tokens
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
export function authRoutes(parts: SignIn): Route[] {
  const { tokens, guard, password: kept, stepUp, device, addressOf, record, revoked, changed } = parts
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

  return [
    post(
      '/auth/login',
      'Signs in. `expiresIn` is seconds.',
      { role: 'public', body: LoginBody, reply: LoginReply },
      async ({ body, request, response }) => {
        const known = device.read(request.headers.cookie)
        const refused = refuse(request, 'refused', '', 'That is not the password.')
        await requirePassword(body.password, signInBudgets(addressOf(request), known), refused)
        note(request, 'signed_in', 'operator')
        response.set('Set-Cookie', device.issue())
        return { ...tokens.issue('operator', 'operator'), role: 'operator' as const }
      },
    ),
    post(
      '/auth/step-up',
      'Gives the password again, which counts for this token for `expiresIn` seconds.',
      { role: 'operator', body: StepUpBody, reply: StepUpReply },
      async ({ body, identity, request }) => {
        const refused = refuse(request, 'step_up_refused', identity.sub, 'That is not the password.')
        await requirePassword(body.password, signedInBudgets(addressOf(request), identity.tokenHash), refused)
        note(request, 'stepped_up', identity.sub)
        stepUp.elevate(identity)
        return { expiresIn: elevationMs / 1000 }
      },
    ),
    post(
      '/auth/password',
      'Changes the password and ends all other tokens of people.',
      { role: 'operator', body: PasswordBody, reply: LoginReply },
      async ({ body: { current, next }, identity: { sub, role, tokenHash }, request }) => {
        const refused = refuse(request, 'step_up_refused', sub, 'That is not the present password.')
        await requirePassword(current, signedInBudgets(addressOf(request), tokenHash), refused)
        kept.change(next)
        note(request, 'password_changed', sub)
        stepUp.endAll()
        changed()
        return { ...tokens.issue(sub, role), role }
      },
    ),
    post(
      '/auth/logout',
      'Revokes the token and ends its sockets.',
      { role: 'viewer', reply: Ok },
      ({ identity, request }) => {
        tokens.revoke(identity)
        stepUp.end(identity)
        note(request, 'signed_out', identity.sub)
        revoked(identity)
        return ok
      },
    ),
  ]
}
