import type { Request, Response } from 'express'
import {
  JarvisError,
  LoginBody,
  LoginReply,
  type PasskeyAssertion,
  PasswordBody,
  type Person,
  StepUpBody,
  StepUpReply,
} from 'protocol'
import type { ClientAddressOf } from '../auth/client-address.ts'
import type { DeviceCookie } from '../auth/device-cookie.ts'
import { foreignMethod } from '../auth/foreign-accounts.ts'
import type { Links } from '../auth/links.ts'
import { type Budget, type LoginGuard, signedInBudgets, signInBudgets } from '../auth/login.ts'
import type { People } from '../auth/people.ts'
import type { PersonPasswords } from '../auth/person-passwords.ts'
import type { OriginOf } from '../auth/public-origin.ts'
import { wireRole } from '../auth/roles.ts'
import type { Proved, SecondFactors } from '../auth/second-factor.ts'
import type { SessionCookie } from '../auth/session-cookie.ts'
import { elevationMs, type StepUp } from '../auth/step-up.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'
import type { Passkeys } from '../signing/passkeys.ts'
import { elsewhereRoutes, type SignInElsewhere } from './elsewhere.ts'
import { linkRoutes } from './links.ts'
import { passkeyRoutes } from './passkeys.ts'
import { Ok, ok, post, type Route } from './route.ts'

/** `client`: the browser's user agent, unchecked. `method`: how somebody signed in. */
export type SignInEvent = {
  what: 'signed_in' | 'refused' | 'signed_out' | 'password_changed' | 'stepped_up' | 'step_up_refused'
  by: string
  address: string
  client: string
  method?: string
  /** The person had not signed in there before. */
  isNewDevice?: true
}

export type SignIn = {
  tokens: Tokens
  guard: LoginGuard
  people: Pick<People, 'get' | 'must'>
  passwords: PersonPasswords
  links: Links
  factors: Pick<SecondFactors, 'check' | 'unlock'>
  passkeys: Passkeys
  originOf: OriginOf
  stepUp: StepUp
  device: DeviceCookie
  /** Says how long a sign-in lasts; whoever serves the routes sets it. */
  cookie: Pick<SessionCookie, 'suits'>
  elsewhere: SignInElsewhere
  addressOf: ClientAddressOf
  /** Writes to the journal. */
  record(event: SignInEvent): void
  /** Drops the sockets of a token that was revoked. */
  revoked(identity: Identity): void
  /** Drops what is open by sign-ins that ended. */
  ended(): void
  /** Tells a person that they signed in on a device that they had not signed in on before. */
  newDevice(person: Person, facts: { address: string; method: string; signIn: string }): void
  /** Drops what a person had open, after a change of their password. */
  changed(person: string): void
}

/** Programs on this machine that are told apart. */
const mostHere = 1_000

/** `/api/auth` and `/api/passkeys`: sign in and out, change the password, enrol passkeys, step up. */
export function authRoutes(parts: SignIn): Route[] {
  const { tokens, guard, people, passwords, factors, passkeys, stepUp, device, addressOf, record, revoked, changed } =
    parts
  const from = (request: Request) => ({
    address: addressOf(request).address,
    client: (request.headers['user-agent'] ?? '').slice(0, 200),
  })
  const note = (request: Request, what: SignInEvent['what'], by: string, method?: string) =>
    record({ what, by, ...from(request), ...(method !== undefined && { method }) })
  /** Programs on this machine that signed in since the start; they keep no cookie. */
  const here = new Set<string>()
  /** True if the person signs in on this device for the first time. */
  function isNew(request: Request, person: string): boolean {
    if (device.read(request.headers.cookie, person) !== undefined) return false
    const { isThisMachine } = addressOf(request)
    const key = `${person} ${from(request).client}`
    if (isThisMachine && here.has(key)) return false
    if (isThisMachine && here.size < mostHere) here.add(key)
    return true
  }

  /**
   * Checks a password, and the code beside it where `code` is given as one, and counts wrong ones against `budgets`. A password that is changed
   * meanwhile is wrong.
   * @returns what stood beside the password
   * @throws JarvisError `too_many_requests`, `invalid_credentials`, `second_factor_required`
   */
  async function requirePassword(
    person: Person | undefined,
    given: { password: string; code?: string | undefined },
    { budgets, isKnown }: { budgets: Budget[]; isKnown: boolean },
    refused: (method?: string) => string,
  ): Promise<Proved | undefined> {
    const succeeded = guard.enter(budgets)
    const before = person && passwords.changes(person.id)
    const isRight = await passwords.is(person?.id, given.password, isKnown)
    if (!isRight || person === undefined || person.disabledAt !== undefined) {
      throw new JarvisError('invalid_credentials', refused())
    }
    let proved: Proved | undefined
    try {
      proved = 'code' in given ? await factors.check(person.id, given.code, isKnown) : undefined
    } catch (error) {
      if (error instanceof JarvisError && error.code === 'second_factor_required') succeeded(false)
      else refused('code')
      throw error
    }
    if (passwords.changes(person.id) !== before) throw new JarvisError('invalid_credentials', refused())
    succeeded()
    return proved
  }
  /** Checks a passkey as `requirePassword` does a password. @returns its person's id */
  async function requirePasskey(given: PasskeyAssertion, budgets: Budget[], refused: () => unknown) {
    const succeeded = guard.enter(budgets)
    try {
      const person = await passkeys.prove(given)
      succeeded()
      factors.unlock(person)
      return person
    } catch (error) {
      refused()
      throw error
    }
  }
  const refuse = (request: Request, what: SignInEvent['what'], by: string, message: string) => (method?: string) => {
    note(request, what, by, method)
    return message
  }
  function signIn(request: Request, person: Person, method: string, passkey?: string): LoginReply & { signIn: string } {
    const { id, name, role } = person
    const inCookie = parts.cookie.suits(request)
    const { token, expiresIn, signIn } = tokens.issue(
      person,
      { ...from(request), method, ...(passkey !== undefined && { passkey }) },
      inCookie,
    )
    return { token, expiresIn, role: wireRole(role), person: { id, name, role }, signIn }
  }
  /** Signs a person in who has proved it otherwise than by a password. @throws JarvisError `invalid_credentials` */
  function enter(id: string, request: Request, response: Response, method: string, passkey?: string): LoginReply {
    const person = people.get(id)
    if (person === undefined || person.disabledAt !== undefined) {
      throw new JarvisError('invalid_credentials', 'This person cannot sign in at present. Ask an owner.')
    }
    const { signIn: at, ...reply } = signIn(request, person, method, passkey)
    const isNewDevice = isNew(request, id)
    record({ what: 'signed_in', by: id, ...from(request), method, ...(isNewDevice && { isNewDevice }) })
    response.append('Set-Cookie', device.issue(id))
    if (isNewDevice) parts.newDevice(person, { address: from(request).address, method, signIn: at })
    return reply
  }

  return [
    post(
      '/auth/login',
      'Signs in. Without `name` the first owner signs in, or the only one. A person with a second factor is told `second_factor_required`, and gives `code` too. `expiresIn` is seconds.',
      { role: 'public', body: LoginBody, reply: LoginReply },
      async ({ body: { name, password, code }, request, response }) => {
        const person = passwords.named(name)
        const known = person && device.read(request.headers.cookie, person.id)
        const account = name?.trim() ?? person?.name ?? ''
        const words = name === undefined ? 'That is not the password.' : 'The name or the password is not right.'
        const refused = refuse(request, 'refused', person?.id ?? '', words)
        const tries = { budgets: signInBudgets(addressOf(request), account, known), isKnown: known !== undefined }
        const proved = await requirePassword(person, { password, code }, tries, refused)
        const method = proved === undefined ? 'password' : `password_and_${proved}`
        return enter(person?.id ?? '', request, response, method)
      },
    ),
    post(
      '/auth/step-up',
      'Gives the password, with a `code` where there is a second factor, or a [passkey](signed-decisions.md#passkeys) again, which counts for this token for `expiresIn` seconds.',
      { role: 'viewer', forMembers: true, body: StepUpBody, reply: StepUpReply },
      async ({ body, identity, request }) => {
        const refused = refuse(request, 'step_up_refused', identity.sub, 'That is not the password.')
        const budgets = signedInBudgets(addressOf(request), identity.tokenHash)
        if (body.passkey === undefined)
          await requirePassword(
            people.get(identity.person.id),
            { password: body.password ?? '', code: body.code },
            { budgets, isKnown: true },
            refused,
          )
        else if ((await requirePasskey(body.passkey, budgets, refused)) !== identity.person.id)
          throw new JarvisError('invalid_credentials', 'This is the passkey of somebody else.')
        note(request, 'stepped_up', identity.sub)
        stepUp.elevate(identity)
        return { expiresIn: elevationMs / 1000 }
      },
    ),
    post(
      '/auth/password',
      'Changes the password and ends all other sign-ins of this person. A person with a second factor gives `code` too.',
      { role: 'viewer', forMembers: true, body: PasswordBody, reply: LoginReply },
      async ({ body: { current, next, code }, identity: { sub, person, tokenHash }, request }) => {
        const refused = refuse(request, 'step_up_refused', sub, 'That is not the present password.')
        const tries = { budgets: signedInBudgets(addressOf(request), tokenHash), isKnown: true }
        // First, so that a password that is not taken uses no code up.
        passwords.requireGood(person.id, next)
        const proved = await requirePassword(people.get(person.id), { password: current, code }, tries, refused)
        await passwords.change(person.id, next, { by: sub })
        note(request, 'password_changed', sub)
        stepUp.endOf(person.id)
        changed(person.id)
        const { signIn: _, ...reply } = signIn(
          request,
          people.must(person.id),
          proved === undefined ? 'password' : `password_and_${proved}`,
        )
        return reply
      },
    ),
    post(
      '/auth/logout',
      'Revokes the token and ends its sockets.',
      { role: 'viewer', forMembers: true, reply: Ok },
      ({ identity, request }) => {
        tokens.revoke(identity)
        stepUp.end(identity)
        note(request, 'signed_out', identity.sub)
        revoked(identity)
        return ok
      },
    ),
    ...linkRoutes({
      ...parts,
      changed(person) {
        stepUp.endOf(person)
        changed(person)
      },
      enter,
    }),
    ...elsewhereRoutes({
      ...parts.elsewhere,
      originOf: parts.originOf,
      enter,
      refused: (request) => record({ what: 'refused', by: '', ...from(request), method: foreignMethod }),
    }),
    ...passkeyRoutes({
      passkeys,
      people,
      originOf: parts.originOf,
      labelOf: (id) => people.get(id)?.name ?? id,
      prove(request, response) {
        const account = passkeys.personOf(response.id) ?? ''
        const known = device.read(request.headers.cookie, account)
        const budgets = signInBudgets(addressOf(request), account, known)
        return requirePasskey(response, budgets, refuse(request, 'refused', account, ''))
      },
      enter: (person, passkey, request, response) => enter(person, request, response, 'passkey', passkey),
      ended: parts.ended,
    }),
  ]
}
