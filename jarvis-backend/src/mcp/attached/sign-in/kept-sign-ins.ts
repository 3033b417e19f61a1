import type { AttachedSignInStore, Journal, Transactions } from '../../../calls/ports.ts'
import type { Clock } from '../../../lib/clock.ts'
import { visible } from '../text.ts'
import { isRefusedClient } from './client.ts'
import { notSent, wordsOf } from './failures.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { revoke } from './revoke.ts'
import { type Kept, secretsOfKept, tokensFrom } from './tokens.ts'

/** How long before its end a token is renewed, ms. */
const earlyMs = 30_000

export type Parts = {
  store: AttachedSignInStore
  journal: Journal
  transactions: Transactions
  clock: Clock
  redact: { text(text: string): string; add(secrets: readonly string[]): void }
  announce(text: string, level: 'info' | 'warning'): void
  /** Called when data that clients see has changed. */
  changed(): void
  report(error: unknown, message: string): void
}

/** The sign-ins of attached servers. They are stored sealed, and their tokens are renewed one at a time. */
export class KeptSignIns {
  readonly #parts: Parts
  readonly #kept = new Map<string, Kept>()
  readonly #renewing = new Map<string, Promise<Kept | undefined>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Reads a stored row. */
  read(server: string, text: string): void {
    const kept = JSON.parse(text) as Kept
    this.#kept.set(server, kept)
    this.#parts.redact.add(secretsOfKept(kept))
  }

  /** Returns the sign-in of a server, whatever its address was. */
  get(server: string): Kept | undefined {
    return this.#kept.get(server)
  }

  forget(server: string): void {
    this.#kept.delete(server)
  }

  /** Returns the sign-in of a server at this address. */
  of(server: string, url: string): Kept | undefined {
    const kept = this.#kept.get(server)
    return kept?.url === url ? kept : undefined
  }

  /** Returns the sign-in with a valid token; renews the token if its end is near. @throws Error if the token has ended and cannot be renewed now */
  async fresh(server: string, url: string): Promise<Kept | undefined> {
    const kept = this.of(server, url)
    const { accessToken, refreshToken, expiresAt } = kept ?? {}
    if (kept === undefined || accessToken === undefined || expiresAt === undefined) return kept
    if (expiresAt - earlyMs > this.#parts.clock.now() && !this.#renewing.has(server)) return kept
    const renewed = refreshToken === undefined ? undefined : this.renew(server, kept)
    // The token is valid until its end, even if it cannot be renewed.
    if (expiresAt > this.#parts.clock.now()) return renewed?.catch(() => kept) ?? kept
    if (renewed !== undefined) return renewed
    this.lose(server, kept, 'Its token has ended')
    return this.#kept.get(server)
  }

  /**
   * Renews a token; only one renewal of a server runs at a time. @returns undefined if the sign-in has ended. @throws Error if the authorization
   * server cannot be reached now
   */
  async renew(server: string, used: Kept): Promise<Kept | undefined> {
    const now = this.#kept.get(server)
    // Another request has renewed the token in the meantime.
    if (now !== used) return now?.url === used.url ? now : undefined
    const running =
      this.#renewing.get(server) ?? this.#renewed(server, used).finally(() => this.#renewing.delete(server))
    this.#renewing.set(server, running)
    return running
  }

  async #renewed(server: string, used: Kept): Promise<Kept | undefined> {
    const sdk = await import('@modelcontextprotocol/client')
    try {
      const answer = await sdk.refreshAuthorization(used.metadata.issuer, {
        metadata: used.metadata,
        clientInformation: used.client,
        refreshToken: used.refreshToken ?? '',
        resource: used.resource as unknown as URL,
        fetchFn: guardedFetch(new URL(used.url)),
      })
      const kept = { ...used, ...tokensFrom(answer, used.scopes, this.#parts.clock.now()) }
      // The server was signed out in the meantime. The sign-out revoked only the earlier tokens, so the new ones are revoked here.
      if (this.#kept.get(server) !== used) {
        await revoke(kept, this.#parts)
        return undefined
      }
      this.keep(server, kept)
      this.#parts.changed()
      return kept
    } catch (error) {
      const isPassing =
        !(error instanceof sdk.OAuthError) ||
        /^(?:server_error|temporarily_unavailable|too_many_requests)$/.test(error.code)
      if (isPassing) throw notSent(401, `Its sign-in could not be renewed: ${wordsOf(error)}`)
      const lost = isRefusedClient(error) ? { ...used, isClientRefused: true as const } : used
      if (this.#kept.get(server) === used) this.lose(server, lost, `It was not renewed: ${visible(error.code, 60)}`)
      return undefined
    }
  }

  /** Ends a sign-in that is no longer valid. The client is kept, so that the next sign-in needs no registration. */
  lose(server: string, kept: Kept, why: string): void {
    const problem = `${why}. Sign in again.`
    const { accessToken: _, refreshToken: __, expiresAt: ___, ...rest } = kept
    this.keep(
      server,
      { ...rest, problem },
      { change: 'sign_in_lost', issuer: kept.metadata.issuer, reason: why, by: 'jarvis' },
    )
    this.#parts.announce(`The sign-in to the MCP server ${server} has ended: ${problem}`, 'warning')
    this.#parts.changed()
  }

  /** Stores a sign-in. @param entry the journal's data about the change */
  keep(server: string, kept: Kept, entry?: Record<string, unknown>): void {
    this.#parts.redact.add(secretsOfKept(kept))
    this.#parts.transactions.durably(() => {
      this.#parts.store.keep(server, JSON.stringify(kept))
      if (entry !== undefined) this.#parts.journal.append('mcp_server', { server, ...entry })
    })
    this.#kept.set(server, kept)
  }
}
