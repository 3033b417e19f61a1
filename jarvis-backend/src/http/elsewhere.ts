import type { Request } from 'express'
import {
  AdmitBody,
  ElsewhereBody,
  ElsewhereFinishBody,
  ElsewhereReply,
  ForeignAccount,
  ForeignAccountsReply,
  JarvisError,
  LoginReply,
  Person,
} from 'protocol'
import { z } from 'zod'
import type { Elsewhere, Purpose } from '../auth/elsewhere.ts'
import type { ElsewherePlace } from '../auth/elsewhere-place.ts'
import { type ForeignAccounts, foreignMethod } from '../auth/foreign-accounts.ts'
import type { OriginOf } from '../auth/public-origin.ts'
import type { Entrance } from './entrance.ts'
import { type Exchange, type Route, route } from './route.ts'

const cookieForS = 10 * 60
/** The page to which the browser is sent after the other service's answer; it ends the flow. Its URL contains neither the code nor a reason. */
const pages: Record<Purpose['kind'], string> = { sign_in: '/?from=elsewhere', link: '/settings/people?from=elsewhere' }

export type SignInElsewhere = {
  /** Undefined: no service is configured. */
  elsewhere: Elsewhere | undefined
  accounts: ForeignAccounts
  place: ElsewherePlace
}

/** The parts that the routes need. */
type ElsewhereParts = SignInElsewhere & {
  originOf: OriginOf
  /** Journals a refused sign-in. */
  refused(request: Request): void
  /** Signs in the person to whom the account belongs. */
  entrance: Pick<Entrance, 'enter'>
}

/**
 * `/api/auth/oidc`, `/api/auth/accounts` and `/api/people/accounts`: signs in with an account of another service, and manages the accounts of
 * people.
 */
export function elsewhereRoutes(parts: ElsewhereParts): Route[] {
  const visits = new Visits(parts)
  return [...signInRoutes(parts, visits), ...ownAccountRoutes(parts, visits), ...accountRoutes(parts.accounts)]
}

/** Sends browsers to the other service and handles their return. A cookie binds the answer to the browser that began. */
class Visits {
  readonly #elsewhere: Elsewhere | undefined
  readonly #place: ElsewherePlace
  readonly #originOf: OriginOf

  constructor({ elsewhere, place, originOf }: Pick<ElsewhereParts, 'elsewhere' | 'place' | 'originOf'>) {
    this.#elsewhere = elsewhere
    this.#place = place
    this.#originOf = originOf
  }

  /**
   * Begins a visit to the other service. @throws JarvisError `not_found` (no service is set), `conflict` (sign-in does not work at this address),
   * `forbidden` (the request is not from a page of JARVIS)
   */
  async begin({ request, response }: Exchange, page: string, purpose: Purpose): Promise<ElsewhereReply> {
    const [service, origin] = [this.#service(), this.#originOf(request)]
    const problem = this.#place.problem(origin)
    if (problem !== undefined) throw new JarvisError('conflict', problem)
    if (request.headers.origin !== origin)
      throw new JarvisError('forbidden', 'A sign-in elsewhere begins on the sign-in page. Nothing was begun.')
    const redirectUri = `${origin}/api/auth/oidc/callback`
    const { url, id } = await service.begin({ purpose, page, redirectUri })
    this.#setCookie({ request, response }, id, cookieForS)
    return { redirectTo: url }
  }

  /**
   * Handles the answer of the other service, which is in the browser's URL. @returns the purpose of the visit @throws JarvisError as
   * `Elsewhere.back`
   */
  back(request: Request): Promise<Purpose['kind']> {
    const at = request.originalUrl.indexOf('?')
    return this.#service().back(this.#cookieOf(request), request.originalUrl.slice(at))
  }

  end<K extends Purpose['kind']>({ request, response }: Exchange, secret: string, kind: K) {
    const ended = this.#service().end(this.#cookieOf(request), secret, kind)
    this.#setCookie({ request, response }, '', 0)
    return ended
  }

  #service(): Elsewhere {
    if (this.#elsewhere !== undefined) return this.#elsewhere
    throw new JarvisError('not_found', 'No other service is set to sign in at. JARVIS_OIDC_ISSUER names one.')
  }

  #isSecure(request: Request): boolean {
    return this.#originOf(request).startsWith('https:')
  }

  #nameAt(request: Request): string {
    return this.#isSecure(request) ? '__Host-jarvis_oidc' : 'jarvis_oidc'
  }

  #cookieOf(request: Request): string | undefined {
    const cookie = new RegExp(`(?:^|;\\s*)${this.#nameAt(request)}=([\\w-]{40,3000})(?:;|$)`)
    return cookie.exec(request.headers.cookie ?? '')?.[1]
  }

  /** Lax, because the browser comes back from another site. */
  #setCookie({ request, response }: Exchange, id: string, forS: number): void {
    const facts = this.#isSecure(request) ? 'Path=/; Secure' : 'Path=/api/auth'
    response.append('Set-Cookie', `${this.#nameAt(request)}=${id}; Max-Age=${forS}; ${facts}; HttpOnly; SameSite=Lax`)
  }
}

const signInRoutes = ({ accounts, entrance, refused }: ElsewhereParts, visits: Visits): Route[] => [
  route('/auth/oidc').post(
    'Begins to [sign in elsewhere](sign-in.md#sign-in-from-elsewhere): the browser goes to `redirectTo`. Only our own page may.',
    { role: 'public', body: ElsewhereBody, reply: ElsewhereReply },
    ({ body, request, response }) => visits.begin({ request, response }, body.page, { kind: 'sign_in' }),
  ),
  route('/auth/oidc/callback').get(
    'The address to which the other service sends the browser back. Its answer counts once, in the browser that began, and the browser goes on to a page.',
    { role: 'public', query: z.record(z.string(), z.unknown()), media: ['text/plain'], status: 303 },
    async ({ request, response }) => {
      const kind = await visits.back(request).catch((error: unknown) => {
        // The error is not lost: the browser goes to the sign-in page, whose call of `/auth/oidc/finish` fails and shows why.
        if (error instanceof JarvisError) return 'sign_in' as const
        throw error
      })
      response.redirect(303, pages[kind])
    },
  ),
  route('/auth/oidc/finish').post(
    'Ends a sign-in elsewhere with the secret of the page that began it. An account of nobody is refused and waits for an owner.',
    { role: 'public', body: ElsewhereFinishBody, reply: LoginReply },
    ({ body, request, response }) => {
      try {
        const { identity } = visits.end({ request, response }, body.secret, 'sign_in')
        return entrance.enter(accounts.enter(identity).id, { request, response }, { method: foreignMethod })
      } catch (error) {
        refused(request)
        throw error
      }
    },
  ),
]

/** A person's own accounts. */
const ownAccountRoutes = ({ elsewhere, accounts, place, originOf }: ElsewhereParts, visits: Visits): Route[] => [
  route('/auth/accounts').get(
    'Accounts of another service that you sign in with.',
    { role: 'viewer', forMembers: true, reply: ForeignAccountsReply },
    ({ identity, request }) => {
      const problem = place.problem(originOf(request))
      return {
        items: accounts.of(identity.person.id),
        ...(elsewhere && { service: elsewhere.name, problem }),
      }
    },
  ),
  route('/auth/accounts').post(
    'Begins to link an account of another service, as `POST /api/auth/oidc` does to sign in.',
    { role: 'viewer', forMembers: true, password: true, body: ElsewhereBody, reply: ElsewhereReply },
    ({ body, identity: { person, tokenHash }, request, response }) =>
      visits.begin({ request, response }, body.page, { kind: 'link', person: person.id, tokenHash }),
  ),
  route('/auth/accounts/finish').post(
    'Links the account, for the sign-in that began it.',
    { role: 'viewer', forMembers: true, body: ElsewhereFinishBody, reply: ForeignAccount },
    ({ body, identity: asking, request, response }) => {
      const { identity, purpose } = visits.end({ request, response }, body.secret, 'link')
      if (purpose.tokenHash !== asking.tokenHash || purpose.person !== asking.person.id)
        throw new JarvisError('forbidden', 'Somebody else began this. Nothing was linked.')
      return accounts.link(identity, purpose.person)
    },
  ),
  route('/auth/accounts/:id').delete(
    'Unlinks an account of yours; what was signed in with an account of another service ends.',
    { role: 'viewer', forMembers: true },
    ({ params: { id }, identity, by }) => accounts.remove(id, by, identity.person.id),
  ),
]

/** Routes for the accounts of all people, for owners. */
const accountRoutes = (accounts: ForeignAccounts): Route[] => [
  route('/people/accounts').get(
    'Everybody’s accounts of another service, and those that wait to be let in (without `person`).',
    { role: 'owner', reply: z.object({ items: z.array(ForeignAccount) }) },
    () => ({ items: accounts.list() }),
  ),
  route('/people/accounts/:id/admit').post(
    'Lets a waiting account in as a new person, who has no password.',
    { role: 'owner', password: true, status: 201, body: AdmitBody, reply: Person },
    ({ params: { id }, body, by }) => accounts.admit(id, body, by),
  ),
  route('/people/accounts/:id').delete(
    'Unlinks anybody’s account, or refuses one that waits.',
    { role: 'owner' },
    ({ params: { id }, by }) => accounts.remove(id, by),
  ),
]
