import { type ApiTokenInfo, type Door, JarvisError, personFor, type TokenArea, type TokenScope } from 'protocol'
import { hintOf, isMistyped, newSecret } from './api-token-secret.ts'
import { hashToken } from './tokens.ts'

/**
 * A program's token. It is valid at its doors and can never decide a confirmation. The secrets of an OAuth client change while its token keeps its
 * name.
 */
export type ApiToken = ApiTokenInfo

export interface ApiTokenStore {
  /** @returns false if the name is taken */
  add(token: ApiToken, hash: string): boolean
  byHash(hash: string): ApiToken | undefined
  list(): ApiToken[]
  remove(name: string): boolean
  /** Adds requests to a token's count. Does nothing if the token no longer exists. @param at the time of the last request, Unix ms */
  used(token: Pick<ApiToken, 'name' | 'createdAt'>, at: number, calls: number): void
}

export type NewApiToken = {
  name: string
  doors: readonly Door[]
  scope: TokenScope
  areas?: readonly TokenArea[] | undefined
  expiresInMs?: number
  /** Absent: no limit. */
  requestsPerMinute?: number
}

/** A change of the tokens for the journal. */
export type ApiTokenChange = ({ change: 'created' } & NewApiToken & By) | ({ change: 'revoked'; name: string } & By)
type By = { by: string }

export type ApiTokens = {
  /** Makes a token. @returns the secret, which is not stored and cannot be shown again. @throws JarvisError `invalid_request` */
  create(token: NewApiToken, by: string): string
  /** @throws JarvisError `unauthorized`, `token_expired`; `forbidden` if the token is not for this door */
  verify(secret: string, door: Door): ApiToken
  list(): ApiToken[]
  /** Ends a token for good. @throws JarvisError `not_found` */
  revoke(name: string, by: string): void
}

export function createApiTokens(parts: {
  store: ApiTokenStore
  /** Commits `work` to disk before it returns. */
  durably<T>(work: () => T): T
  /** Writes to the journal. */
  record(change: ApiTokenChange): void
  now(): number
}): ApiTokens {
  const { store, durably, record, now } = parts
  return {
    create({ name, doors, scope, areas = [], expiresInMs, requestsPerMinute }, by) {
      if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
        throw new JarvisError(
          'invalid_request',
          'A token name has 1 to 64 letters, digits, dots, dashes or underscores, for example ops-laptop.',
        )
      }
      if (doors.length === 0) {
        throw new JarvisError('invalid_request', 'A token needs at least one door: mcp, v1, api or metrics.')
      }
      if (areas.length > 0 && !doors.includes('api'))
        throw new JarvisError('invalid_request', `areas: ${areas.join(', ')} is used at the door api. Add the door.`)
      const secret = newSecret()
      const createdAt = now()
      const rights = {
        name,
        doors: [...new Set(doors)],
        scope,
        ...(areas.length > 0 && { areas: [...new Set(areas)] }),
        requestsPerMinute,
      }
      const expiry = expiresInMs === undefined ? {} : { expiresAt: createdAt + expiresInMs }
      durably(() => {
        const token = { ...rights, hint: hintOf(secret), calls: 0, createdAt, ...expiry, ...personFor(by) }
        if (!store.add(token, hashToken(secret))) {
          throw new JarvisError(
            'invalid_request',
            `There is a token ${name} already. Revoke it first, or choose another name.`,
          )
        }
        record({ change: 'created', ...rights, expiresInMs, by })
      })
      return secret
    },
    verify(secret, door) {
      if (isMistyped(secret)) {
        throw new JarvisError(
          'unauthorized',
          'This token is mistyped or cut short: its checksum does not match. Copy it again, whole.',
        )
      }
      const known = store.byHash(hashToken(secret))
      if (known === undefined) {
        throw new JarvisError(
          'unauthorized',
          `This token is not known, or was revoked. Make one in Settings, or with: npm run jarvis -- token create NAME --door ${door}`,
        )
      }
      if (known.expiresAt !== undefined && known.expiresAt <= now()) {
        throw new JarvisError('token_expired', `The token ${known.name} has expired. Make a new one.`)
      }
      requireDoor(known, door)
      return known
    },
    list: () => store.list(),
    revoke(name, by) {
      durably(() => {
        if (!store.remove(name)) throw new JarvisError('not_found', `There is no token ${name}.`)
        record({ change: 'revoked', name, by })
      })
    },
  }
}

/** @throws JarvisError `forbidden` if the token is not for the door */
export function requireDoor({ name, doors }: ApiToken, door: Door): void {
  if (doors.includes(door)) return
  throw new JarvisError(
    'forbidden',
    `The token ${name} is for ${doors.join(', ')} and not for ${door}. Make one with the door ${door}.`,
  )
}
