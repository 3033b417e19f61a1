import { createHash, createSecretKey, type KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { type ApiTokenInfo, firstOwnerId, isPersonId, JarvisError, type Person, type PersonRef, Role } from 'protocol'
import { z } from 'zod'
import { newId } from '../lib/ids.ts'
import { lesserOf, wireRole } from './roles.ts'
import { idleEndOf, type SignInRow, type SignInStore, signInPrefix } from './sign-ins.ts'

const Claims = z.object({
  sub: z.string().min(1).max(200),
  role: Role,
  iat: z.int(),
  exp: z.int(),
  iss: z.literal('jarvis'),
  jti: z.string().max(100).optional(),
  /** JARVIS issues tokens without an audience, so a token with one was made for another service. */
  aud: z.never().optional(),
})
type Claims = z.infer<typeof Claims>

/** The verified holder of a token. */
export type Identity = {
  /** A person's id. For a token signed by hand: the name in the token. For a program: `token:NAME`. */
  sub: string
  /** The older form of `person.role` in the protocol; always `viewer` for a program. */
  role: Role
  /** The person in whose name the holder acts, with the person's present rights. `role` is at most the role that the token allows. */
  person: PersonRef
  /** Unix seconds. */
  exp: number
  /** Unix seconds; absent for programs. */
  iat?: number
  tokenHash: string
  /** The sign-in that the token was issued for; absent for programs, tokens of older releases and those signed by hand. */
  signIn?: string
  /** Present for a program; absent for a person. */
  token?: ApiTokenInfo
}

export interface RevocationStore {
  revoke(tokenHash: string, expiresAt: number): void
  isRevoked(tokenHash: string): boolean
}

export type SignInFacts = Pick<SignInRow, 'address' | 'client' | 'method' | 'passkey'>

/** Longest life of a sign-in, seconds. A bearer is shorter, because the page keeps it where its scripts can read it. */
const lifetimesS = { cookie: 30 * 24 * 60 * 60, bearer: 7 * 24 * 60 * 60 }
/** Minimum time between two writes of the last use, ms. */
const touchEveryMs = 60_000
const mostKnown = 1_000

type Parts = {
  secret: string
  revoked: RevocationStore
  signIns: SignInStore
  people: { get(id: string): Person | undefined; seen(id: string, at: number): void }
  /** Tokens of the first owner that were issued before this time are invalid, Unix ms. */
  validFrom(): number
  /** Time without use after which a sign-in ends, ms. */
  idleMs: number
  now(): number
}

/**
 * Issues and verifies JWTs. Only HS256 with issuer `jarvis` and an `exp` is accepted; other header fields such as `kid` are ignored. The holder is
 * looked up each time, so that a lower role, a disabled person and an ended sign-in take effect at once.
 */
export class Tokens {
  readonly #parts: Parts
  readonly #key: KeyObject
  /** Claims by the token's hash. Each signature is checked only once, because that is most of the cost of checking a request. */
  readonly #known = new Map<string, Claims>()

  constructor(parts: Parts) {
    this.#parts = parts
    // Node would first try a key that is given as text as a public key, at each check.
    this.#key = createSecretKey(Buffer.from(parts.secret))
  }

  /**
   * Signs a person in: makes a row for the sign-in, and its token. @param inCookie true: the token is kept in a cookie that no script can read, so
   * it lasts longer
   */
  issue(
    person: Person,
    facts: SignInFacts,
    inCookie: boolean = false,
  ): { token: string; expiresIn: number; signIn: string } {
    const lifetimeS = lifetimesS[inCookie ? 'cookie' : 'bearer']
    // Rounded up to whole seconds, so that a token issued after a change of password is not before it.
    const iat = Math.ceil(Math.max(Date.now(), this.#parts.validFrom()) / 1000)
    const id = newId(signInPrefix)
    const role = wireRole(person.role)
    const token = jwt.sign({ sub: person.id, role, iat, jti: id }, this.#key, {
      algorithm: 'HS256',
      issuer: 'jarvis',
      expiresIn: lifetimeS,
    })
    const at = this.#parts.now()
    this.#parts.signIns.prune(at, at - this.#parts.idleMs)
    this.#parts.signIns.add({
      id,
      person: person.id,
      hash: hashToken(token),
      ...facts,
      createdAt: at,
      lastSeenAt: at,
      endsAt: at + lifetimeS * 1000,
    })
    this.#parts.people.seen(person.id, at)
    return { token, expiresIn: lifetimeS, signIn: id }
  }

  /** @throws JarvisError `unauthorized`, `token_expired`. */
  verify(token: string): Identity {
    const tokenHash = hashToken(token)
    const { sub, role, iat, exp, jti } = this.#claimsOf(token, tokenHash)
    const signIn = jti?.startsWith(`${signInPrefix}_`) ? { signIn: jti } : {}
    return this.again({ sub, role, exp, iat, tokenHash, person: claimedBy(role), ...signIn })
  }

  /** The holder with their present rights, for a token that was verified before. @throws JarvisError as `verify` */
  again(identity: Identity): Identity {
    const { sub, tokenHash, signIn, iat = 0 } = identity
    const isFirst = sub === firstOwnerId || !isPersonId(sub)
    if (isFirst && iat * 1000 < this.#parts.validFrom()) {
      throw new JarvisError('unauthorized', 'The password was changed. Sign in again.')
    }
    if (signIn !== undefined) this.#requireSignIn(signIn, identity)
    else if (this.#parts.revoked.isRevoked(tokenHash))
      throw new JarvisError('unauthorized', 'You signed out. Sign in again.')
    const person = this.#personIn(sub, signIn, identity.person.role)
    return { ...identity, person, role: wireRole(person.role) }
  }

  revoke({ tokenHash, exp, signIn }: Identity): void {
    if (signIn === undefined) this.#parts.revoked.revoke(tokenHash, exp * 1000)
    else this.#parts.signIns.end(signIn)
  }

  /** @throws JarvisError `unauthorized`, `token_expired` */
  #claimsOf(token: string, tokenHash: string): Claims {
    const kept = this.#known.get(tokenHash)
    if (kept !== undefined) {
      if (kept.exp * 1000 <= Date.now()) throw expired()
      return kept
    }
    let payload: unknown
    try {
      payload = jwt.verify(token, this.#key, { algorithms: ['HS256'], issuer: 'jarvis' })
    } catch (cause) {
      if (cause instanceof jwt.TokenExpiredError) throw expired(cause)
      throw new JarvisError('unauthorized', 'Sign in first.', { cause })
    }
    const claims = Claims.safeParse(payload)
    if (!claims.success) throw new JarvisError('unauthorized', 'Sign in first.')
    for (const oldest of this.#known.keys()) {
      if (this.#known.size < mostKnown) break
      this.#known.delete(oldest)
    }
    this.#known.set(tokenHash, claims.data)
    return claims.data
  }

  #requireSignIn(id: string, { sub, tokenHash }: { sub: string; tokenHash: string }): void {
    const row = this.#parts.signIns.get(id)
    if (row === undefined || row.hash !== tokenHash || row.person !== sub) {
      throw new JarvisError('unauthorized', 'You are signed out here. Sign in again.')
    }
    const at = this.#parts.now()
    if (row.endsAt <= at) throw expired()
    if (idleEndOf(row, this.#parts.idleMs) <= at)
      throw new JarvisError('token_expired', 'You were away for too long. Sign in again.')
    if (at - row.lastSeenAt <= touchEveryMs) return
    try {
      this.#parts.signIns.seen(id, at)
      this.#parts.people.seen(sub, at)
    } catch (error) {
      // A database that cannot be written must not sign anybody out. The next request stores the time of use again.
      if (!(error instanceof JarvisError) || error.code !== 'storage_failed') throw error
    }
  }

  /** The person whose id is `sub`. A `sub` that is not an id acts for the first owner, as tokens signed by hand always did. */
  #personIn(sub: string, signIn: string | undefined, claimed: string): PersonRef {
    const person = this.#parts.people.get(isPersonId(sub) ? sub : firstOwnerId)
    if (person === undefined) throw new JarvisError('unauthorized', 'This person was removed. Ask an owner.')
    if (person.disabledAt !== undefined)
      throw new JarvisError('unauthorized', 'This person cannot sign in at present. Ask an owner.')
    const { id, name, role } = person
    return { id, name, role: signIn === undefined ? lesserOf(role, claimed) : role }
  }
}

/** The greatest rights that a token without a sign-in gives. `role` is the role in the token. */
const claimedBy = (role: Role): PersonRef => ({ id: '', name: '', role: role === 'operator' ? 'owner' : 'viewer' })

const expired = (cause?: unknown) =>
  new JarvisError('token_expired', 'The sign-in has expired. Sign in again.', { cause })

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')
