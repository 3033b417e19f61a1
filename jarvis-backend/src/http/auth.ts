import { JarvisError, LoginBody, LoginReply, PasswordBody, StepUpBody, StepUpReply } from 'protocol'
import type { Passkeys } from '../access/passkeys.ts'
import { foreignMethod } from '../auth/foreign-accounts.ts'
import type { Links } from '../auth/links.ts'
import { type LoginGuard, signedInBudgets, signInBudgets } from '../auth/login.ts'
import type { People } from '../auth/people.ts'
import type { PersonPasswords } from '../auth/person-passwords.ts'
import type { OriginOf } from '../auth/public-origin.ts'
import type { Proved, SecondFactors } from '../auth/second-factor.ts'
import { elevationMs, type StepUp } from '../auth/step-up.ts'
import type { Identity, Tokens } from '../auth/tokens.ts'
import { elsewhereRoutes, type SignInElsewhere } from './elsewhere.ts'
import { Entrance, type EntranceNeeds } from './entrance.ts'
import { linkRoutes } from './links.ts'
import { passkeyRoutes } from './passkeys.ts'
import { Ok, ok, type Route, route } from './route.ts'
import { SignInChecks, type SignInEvent, SignInLog } from './sign-in-checks.ts'

export type SignIn = EntranceNeeds & {
  tokens: Pick<Tokens, 'issue' | 'revoke'>
  guard: LoginGuard
  people: Pick<People, 'get' | 'must'>
  passwords: PersonPasswords
  links: Links
  factors: Pick<SecondFactors, 'check' | 'unlock'>
  passkeys: Passkeys
  originOf: OriginOf
  stepUp: StepUp
  elsewhere: SignInElsewhere
  /** Writes to the journal. */
  record(event: SignInEvent): void
  /** Disconnects the sockets of a revoked token. */
  revoked(identity: Identity): void
  /** Closes the connections of sign-ins that have ended. */
  ended(): void
  /** Closes a person's connections and ends their pairings after their password changed. @returns the names of the pairings */
  changed(person: string): string[]
  /** The clients with which a person is signed in. @param but the sign-in that is left out */
  clientsOf(person: string, but: string | undefined): string[]
}

/** Objects that the sign-in routes share. */
type Desk = { log: SignInLog; checks: SignInChecks; entrance: Entrance }

/** `/api/auth` and `/api/passkeys`: sign in and out, change the password, enrol passkeys, step up. */
export function authRoutes(parts: SignIn): Route[] {
  const { passkeys, people, originOf, stepUp, device, addressOf } = parts
  const log = new SignInLog(addressOf, (event) => parts.record(event))
  const checks = new SignInChecks(parts)
  const entrance = new Entrance(parts, log)
  const desk = { log, checks, entrance }
  return [
    loginRoute(parts, desk),
    stepUpRoute(parts, desk),
    passwordRoute(parts, desk),
    logoutRoute(parts, log),
    ...linkRoutes({
      ...parts,
      changed(person) {
        stepUp.endOf(person)
        parts.changed(person)
      },
      entrance,
    }),
    ...elsewhereRoutes({
      ...parts.elsewhere,
      originOf,
      entrance,
      refused: (request) => log.note(request, { what: 'refused', by: '', method: foreignMethod }),
    }),
    ...passkeyRoutes({
      passkeys,
      people,
      originOf,
      labelOf: (id) => people.get(id)?.name ?? id,
      prove(request, response) {
        const account = passkeys.personOf(response.id) ?? ''
        const known = device.read(request.headers.cookie, account)
        const budgets = signInBudgets(addressOf(request), account, known)
        return checks.passkey(response, budgets, log.refusal(request, { what: 'refused', by: account }, ''))
      },
      entrance,
      ended: parts.ended,
    }),
  ]
}

const methodOf = (proved: Proved | undefined) => (proved === undefined ? 'password' : `password_and_${proved}`)

const loginRoute = ({ passwords, device, addressOf }: SignIn, { log, checks, entrance }: Desk): Route =>
  route('/auth/login').post(
    'Signs in. Without `name` the first owner signs in, or the only one. A person with a second factor is told `second_factor_required`, and gives `code` too. `expiresIn` is seconds.',
    { role: 'public', body: LoginBody, reply: LoginReply },
    async ({ body: { name, password, code }, request, response }) => {
      const person = passwords.named(name)
      const known = person && device.read(request.headers.cookie, person.id)
      const account = name?.trim() ?? person?.name ?? ''
      const words = name === undefined ? 'That is not the password.' : 'The name or the password is not right.'
      const proved = await checks.password({
        person,
        password,
        code,
        budgets: signInBudgets(addressOf(request), account, known),
        isKnown: known !== undefined,
        refused: log.refusal(request, { what: 'refused', by: person?.id ?? '' }, words),
      })
      return entrance.enter(person?.id ?? '', { request, response }, { method: methodOf(proved) })
    },
  )

const stepUpRoute = ({ people, stepUp, addressOf }: SignIn, { log, checks }: Desk): Route =>
  route('/auth/step-up').post(
    'Gives the password, with a `code` where there is a second factor, or a [passkey](signed-decisions.md#passkeys) again, which counts for this token for `expiresIn` seconds.',
    { role: 'viewer', forMembers: true, body: StepUpBody, reply: StepUpReply },
    async ({ body, identity, request }) => {
      const by = identity.sub
      const refused = log.refusal(request, { what: 'step_up_refused', by }, 'That is not the password.')
      const budgets = signedInBudgets(addressOf(request), identity.tokenHash)
      if (body.passkey === undefined)
        await checks.password({
          person: people.get(identity.person.id),
          password: body.password ?? '',
          code: body.code,
          budgets,
          isKnown: true,
          refused,
        })
      else if ((await checks.passkey(body.passkey, budgets, refused)) !== identity.person.id)
        throw new JarvisError('invalid_credentials', 'This is the passkey of somebody else.')
      log.note(request, { what: 'stepped_up', by })
      stepUp.elevate(identity)
      return { expiresIn: elevationMs / 1000 }
    },
  )

const passwordRoute = (
  { people, passwords, stepUp, addressOf, changed, clientsOf }: SignIn,
  { log, checks, entrance }: Desk,
): Route =>
  route('/auth/password').post(
    'Changes the password and ends all other sign-ins and the pairings of this person, which `ended` names. A person with a second factor gives `code` too.',
    { role: 'viewer', forMembers: true, body: PasswordBody, reply: LoginReply },
    async ({ body: { current, next, code }, identity: { sub, person, tokenHash, signIn }, request }) => {
      // Check the new password first: a password that is refused must not use up a code of the second factor.
      passwords.requireGood(person.id, next)
      const proved = await checks.password({
        person: people.get(person.id),
        password: current,
        code,
        budgets: signedInBudgets(addressOf(request), tokenHash),
        isKnown: true,
        refused: log.refusal(request, { what: 'step_up_refused', by: sub }, 'That is not the present password.'),
      })
      const signIns = clientsOf(person.id, signIn)
      await passwords.change(person.id, next, { by: sub })
      log.note(request, { what: 'password_changed', by: sub })
      stepUp.endOf(person.id)
      const pairings = changed(person.id)
      const reply = entrance.again(people.must(person.id), request, { method: methodOf(proved) })
      return { ...reply, ended: { signIns, pairings } }
    },
  )

const logoutRoute = ({ tokens, stepUp, revoked }: SignIn, log: SignInLog): Route =>
  route('/auth/logout').post(
    'Revokes the token and ends its sockets.',
    { role: 'viewer', forMembers: true, reply: Ok },
    ({ identity, request }) => {
      tokens.revoke(identity)
      stepUp.end(identity)
      log.note(request, { what: 'signed_out', by: identity.sub })
      revoked(identity)
      return ok
    },
  )
