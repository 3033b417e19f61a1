import { createHash, createSecretKey } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { z } from 'zod'
import { newId } from '../lib/ids.ts'
import { type ApiTokenInfo, JarvisError, Role } from '../protocol/index.ts'

const Claims = z.object({
  sub: z.string().min(1).max(200),
  role: Role,
  iat: z.int(),
  exp: z.int(),
  iss: z.literal('jarvis'),
  /** JARVIS issues tokens without an audience, so a token with one was made for another service. */
  aud: z.never().optional(),
})

/** The verified holder of a token. */
export type Identity = {
  sub: string
  role: Role
  /** Unix seconds. */
  exp: number
  tokenHash: string
  /** Present for a program; absent for a person. */
  token?: ApiTokenInfo
}

export interface RevocationStore {
  revoke(tokenHash: string, expiresAt: number): void
  isRevoked(tokenHash: string): boolean
}

export type Tokens = {
  issue(sub: string, role: Role): { token: string; expiresIn: number }
  /** @throws JarvisError `unauthorized`, `token_expired`. */
  verify(token: string): Identity
  revoke(identity: Identity): void
}

const lifetimeS = 7 * 24 * 60 * 60

/** Issues and verifies JWTs. Only HS256 with issuer `jarvis` and an `exp` is accepted; other header fields such as `kid` are ignored. */
export function createTokens(secret: string, revoked: RevocationStore, validFrom: () => number): Tokens {
  // A key given as text would first be tried as a public key at each check.
  const key = createSecretKey(Buffer.from(secret))
  return {
    issue(sub, role) {
      // Rounded up to whole seconds, so that a token issued after a change of password is not before it. The random id makes two tokens
      // of one second differ, so that signing out ends only one.
      const iat = Math.ceil(Math.max(Date.now(), validFrom()) / 1000)
      const token = jwt.sign({ sub, role, iat, jti: newId('tok') }, key, {
        algorithm: 'HS256',
        issuer: 'jarvis',
        expiresIn: lifetimeS,
      })
      return { token, expiresIn: lifetimeS }
    },
    verify(token) {
      let payload: unknown
      try {
        payload = jwt.verify(token, key, { algorithms: ['HS256'], issuer: 'jarvis' })
      } catch (cause) {
        if (cause instanceof jwt.TokenExpiredError) {
          throw new JarvisError('token_expired', 'The sign-in has expired. Sign in again.', { cause })
        }
        throw new JarvisError('unauthorized', 'Sign in first.', { cause })
      }
      const claims = Claims.safeParse(payload)
      if (!claims.success) throw new JarvisError('unauthorized', 'Sign in first.')
      if (claims.data.iat * 1000 < validFrom()) {
        throw new JarvisError('unauthorized', 'The password was changed. Sign in again.')
      }
      const tokenHash = hashToken(token)
      if (revoked.isRevoked(tokenHash)) throw new JarvisError('unauthorized', 'You signed out. Sign in again.')
      const { sub, role, exp } = claims.data
      return { sub, role, exp, tokenHash }
    },
    revoke: ({ tokenHash, exp }) => revoked.revoke(tokenHash, exp * 1000),
  }
}

export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')
