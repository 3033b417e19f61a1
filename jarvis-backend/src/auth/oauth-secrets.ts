import { createHash, randomBytes } from 'node:crypto'
import { JarvisError, personFor } from 'protocol'
import type { ApiToken } from './api-tokens.ts'
import { OAuthError } from './oauth-error.ts'
import { type Allowed, requireResource, scopes } from './oauth-requests.ts'
import type { Consent, OAuthSecret, OAuthStore } from './oauth-store.ts'
import { hashToken } from './tokens.ts'

const codeMs = 60_000
const accessMs = 15 * 60_000
/** Lifetime of a consent since its last refresh, ms. */
const refreshMs = 30 * 24 * 60 * 60_000

/** Requests that a client may make in a minute if the person who allowed it named no number. */
export const usualRate = 300

/** Token reply of RFC 6749. `expires_in`: seconds. */
export type TokenReply = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}
/** A change of a consent for the journal. */
export type ConsentChange =
  | { change: 'allowed'; isReadOnly: boolean; client: string; clientId: string; redirectUri: string; by: string }
  | { change: 'created'; name: string; isReadOnly: boolean; client: string; clientId: string; by: string }
  | { change: 'revoked'; name: string; by: string; because?: string }

type Parts = {
  store: OAuthStore
  /** Commits `work` to disk before it returns. */
  durably<T>(work: () => T): T
  record(change: ConsentChange): void
  now(): number
}

/**
 * Issues and checks the authorization codes, access tokens and refresh tokens of clients that an operator allowed. None of these secrets can decide
 * a confirmation.
 */
export class OAuthSecrets {
  readonly #parts: Parts
  // In memory only, because a code lives one minute. After a restart the operator has to consent again.
  readonly #codes = new Map<string, Allowed & { until: number; usedFor?: string }>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** @returns a code that can be exchanged once, within a minute */
  allow(allowed: Allowed): string {
    const { request, isReadOnly, by } = allowed
    for (const [hash, { until }] of this.#codes) if (until <= this.#parts.now()) this.#codes.delete(hash)
    const code = randomBytes(32).toString('base64url')
    const { client, redirectUri } = request
    this.#parts.durably(() =>
      this.#parts.record({ change: 'allowed', isReadOnly, client: client.name, clientId: client.id, redirectUri, by }),
    )
    this.#codes.set(hashToken(code), { ...allowed, until: this.#parts.now() + codeMs })
    return code
  }

  /** Exchanges a code for tokens. @throws OAuthError `invalid_grant`, `invalid_target` */
  exchange(asked: {
    code: string
    clientId: string
    verifier: string
    redirectUri?: string
    resource?: string
  }): TokenReply {
    const known = this.#codes.get(hashToken(asked.code))
    if (known === undefined || known.until <= this.#parts.now() || known.request.client.id !== asked.clientId) {
      throw new OAuthError('invalid_grant', 'The code is not known, or older than a minute.')
    }
    if (known.usedFor !== undefined) {
      this.#end(known.usedFor, 'jarvis', 'its code was used twice')
      throw new OAuthError('invalid_grant', 'The code was used before.')
    }
    const { request, isReadOnly, requestsPerMinute = usualRate, by } = known
    // Even a wrong exchange uses a code up, because a client without the verifier has stolen the code.
    known.usedFor = ''
    const challenge = createHash('sha256').update(asked.verifier).digest('base64url')
    if (challenge !== request.challenge || (asked.redirectUri ?? request.redirectUri) !== request.redirectUri) {
      throw new OAuthError('invalid_grant', 'The code was made for another request.')
    }
    requireResource(asked.resource ?? request.resource, request.resource)
    const { client, resource } = request
    const name = nameFor(client.name)
    const token: ApiToken = {
      name,
      doors: ['mcp'],
      scope: isReadOnly ? 'read' : 'ask',
      requestsPerMinute,
      calls: 0,
      createdAt: this.#parts.now(),
      expiresAt: this.#parts.now() + refreshMs,
      clientName: client.name,
      ...personFor(by),
    }
    const consent = { token, clientId: client.id, resource }
    const reply = this.#parts.durably(() => {
      this.#parts.store.prune(this.#parts.now())
      this.#parts.store.addConsent(consent)
      this.#parts.record({ change: 'created', name, isReadOnly, client: client.name, clientId: client.id, by })
      return this.#issue(consent)
    })
    known.usedFor = name
    return reply
  }

  /** Exchanges a refresh token for the next pair of tokens. @throws OAuthError `invalid_grant`, `invalid_target` */
  refresh(asked: { refreshToken: string; clientId: string; resource?: string }): TokenReply {
    const hash = hashToken(asked.refreshToken)
    const known = this.#parts.store.secret(hash)
    if (
      known?.kind !== 'refresh' ||
      known.consent.clientId !== asked.clientId ||
      known.expiresAt <= this.#parts.now()
    ) {
      throw new OAuthError('invalid_grant', 'The refresh token is not known, or has expired. Sign in again.')
    }
    const { consent } = known
    requireResource(asked.resource ?? consent.resource, consent.resource)
    const reply = this.#parts.durably(() => {
      if (!this.#parts.store.use(hash, this.#parts.now())) return undefined
      this.#parts.store.prune(this.#parts.now())
      this.#parts.store.extendConsent(consent.token.name, this.#parts.now() + refreshMs)
      return this.#issue(consent)
    })
    if (reply !== undefined) return reply
    this.#end(consent.token.name, 'jarvis', 'its refresh token was used twice')
    throw new OAuthError('invalid_grant', 'The refresh token was used before, so all of them are void. Sign in again.')
  }

  /** Revokes a token and with it the client's whole consent (RFC 7009). An unknown token is ignored. */
  revoke(token: string, clientId: string | undefined): void {
    const consent = this.#parts.store.secret(hashToken(token))?.consent
    if (consent !== undefined && (clientId ?? consent.clientId) === consent.clientId) {
      this.#end(consent.token.name, consent.token.clientName ?? 'client')
    }
  }

  /** Checks an access token for `resource`. @throws JarvisError `unauthorized`, `token_expired` */
  verify(token: string, resource: string): ApiToken {
    const known = this.#parts.store.secret(hashToken(token))
    if (known?.kind !== 'access') {
      throw new JarvisError('unauthorized', 'This token is not known. Sign in from the client.')
    }
    const { consent } = known
    if (consent.resource !== resource) {
      throw new JarvisError('unauthorized', `This token counts at ${consent.resource} alone.`)
    }
    if (known.expiresAt <= this.#parts.now()) {
      throw new JarvisError('token_expired', 'This access token has expired. Refresh it.')
    }
    return consent.token
  }

  /**
   * Checks that a consent still holds. A request may outlast its access token, because the client refreshes the token meanwhile. @throws JarvisError
   * `unauthorized` once the consent has ended
   */
  requireConsent(name: string): void {
    if ((this.#parts.store.consentUntil(name) ?? 0) <= this.#parts.now())
      throw new JarvisError('unauthorized', 'Sign in from the client.')
  }

  #issue(consent: Consent): TokenReply {
    const { name } = consent.token
    const secret = (prefix: string, kind: OAuthSecret['kind'], lastsMs: number) => {
      const text = `${prefix}_${randomBytes(32).toString('base64url')}`
      this.#parts.store.addSecret(hashToken(text), { name, kind, expiresAt: this.#parts.now() + lastsMs })
      return text
    }
    return {
      access_token: secret('jmat', 'access', accessMs),
      token_type: 'Bearer',
      expires_in: accessMs / 1000,
      refresh_token: secret('jmrt', 'refresh', refreshMs),
      scope: consent.token.scope === 'read' ? scopes.read : `${scopes.read} ${scopes.ask}`,
    }
  }

  #end(name: string, by: string, because?: string): void {
    this.#parts.durably(() => {
      if (this.#parts.store.endConsent(name)) this.#parts.record({ change: 'revoked', name, by, because })
    })
  }
}

/** A token's name with a random suffix, because sessions are found by name and a name must not be used twice. */
function nameFor(clientName: string): string {
  const plain = clientName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
  return `${plain === '' ? 'client' : plain}-${randomBytes(3).toString('hex')}`
}
