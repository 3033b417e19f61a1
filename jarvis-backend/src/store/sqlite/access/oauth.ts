import { firstOwnerId } from 'protocol'
import type { Consent, OAuthClient, OAuthSecret, OAuthStore } from '../../../auth/oauth-store.ts'
import { SqliteStore } from '../sqlite-store.ts'
import { type TokenRow, toToken } from './tokens.ts'

type ClientRow = { id: string; name: string; redirect_uris: string }
type SecretRow = TokenRow & {
  client_id: string
  resource: string
  kind: OAuthSecret['kind']
  secret_expires_at: number
  used_at: number | null
}

const isConsent = 'name IN (SELECT name FROM oauth_consents)'
const toConsent = (row: SecretRow): Consent => ({
  token: toToken(row),
  clientId: row.client_id,
  resource: row.resource,
})

/** Stores OAuth clients, consents and secrets. A consent is a row of `api_tokens` whose hash column holds no real hash, so no token matches it. */
export class SqliteOAuthStore extends SqliteStore implements OAuthStore {
  readonly #insertClient = this.sql.prepare(
    'INSERT INTO oauth_clients (id, name, redirect_uris, created_at) VALUES (?, ?, ?, ?)',
  )
  readonly #selectClient = this.sql.prepare<[string], ClientRow>('SELECT * FROM oauth_clients WHERE id = ?')
  readonly #pruneClients = this.sql.prepare(`
    DELETE FROM oauth_clients
    WHERE id NOT IN (SELECT client_id FROM oauth_consents)
      AND (created_at < ? OR id NOT IN (SELECT id FROM oauth_clients ORDER BY created_at DESC, id DESC LIMIT ?))`)
  readonly #insertToken = this.sql.prepare(
    `INSERT INTO api_tokens (name, hash, doors, scope, per_minute, created_at, expires_at, person)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  readonly #insertConsent = this.sql.prepare(
    'INSERT INTO oauth_consents (name, client_id, client_name, resource) VALUES (?, ?, ?, ?)',
  )
  readonly #extend = this.sql.prepare(`UPDATE api_tokens SET expires_at = ? WHERE name = ? AND ${isConsent}`)
  readonly #until = this.sql.prepare<[string], { expires_at: number }>(
    `SELECT expires_at FROM api_tokens WHERE name = ? AND ${isConsent}`,
  )
  readonly #end = this.sql.prepare(`DELETE FROM api_tokens WHERE name = ? AND ${isConsent}`)
  readonly #insertSecret = this.sql.prepare(
    'INSERT INTO oauth_secrets (hash, name, kind, expires_at) VALUES (?, ?, ?, ?)',
  )
  readonly #selectSecret = this.sql.prepare<[string], SecretRow>(`
    SELECT api_tokens.*, client_id, client_name, resource, kind, oauth_secrets.expires_at AS secret_expires_at, used_at
    FROM oauth_secrets JOIN oauth_consents USING (name) JOIN api_tokens USING (name)
    WHERE oauth_secrets.hash = ?`)
  readonly #use = this.sql.prepare('UPDATE oauth_secrets SET used_at = ? WHERE hash = ? AND used_at IS NULL')
  readonly #pruneConsents = this.sql.prepare(`DELETE FROM api_tokens WHERE expires_at <= ? AND ${isConsent}`)
  readonly #pruneSecrets = this.sql.prepare('DELETE FROM oauth_secrets WHERE expires_at <= ?')

  addClient({ id, name, redirectUris }: OAuthClient, createdAt: number): void {
    this.#insertClient.run(id, name, JSON.stringify(redirectUris), createdAt)
  }

  client(id: string): OAuthClient | undefined {
    const row = this.#selectClient.get(id)
    return row && { id, name: row.name, redirectUris: JSON.parse(row.redirect_uris) as string[] }
  }

  pruneClients(before: number, most: number): void {
    this.#pruneClients.run(before, most)
  }

  addConsent({ token, clientId, resource }: Consent): void {
    const { name, doors, scope, requestsPerMinute, createdAt, expiresAt, clientName, person = firstOwnerId } = token
    const rights = [doors.join(','), scope, requestsPerMinute ?? null]
    this.#insertToken.run(name, `consent ${name}`, ...rights, createdAt, expiresAt ?? null, person)
    this.#insertConsent.run(name, clientId, clientName ?? '', resource)
  }

  extendConsent(name: string, expiresAt: number): void {
    this.#extend.run(expiresAt, name)
  }

  consentUntil(name: string): number | undefined {
    return this.#until.get(name)?.expires_at
  }

  endConsent(name: string): boolean {
    return this.#end.run(name).changes === 1
  }

  addSecret(
    hash: string,
    { name, kind, expiresAt }: { name: string; kind: OAuthSecret['kind']; expiresAt: number },
  ): void {
    this.#insertSecret.run(hash, name, kind, expiresAt)
  }

  secret(hash: string): OAuthSecret | undefined {
    const row = this.#selectSecret.get(hash)
    return (
      row && {
        consent: toConsent(row),
        kind: row.kind,
        expiresAt: row.secret_expires_at,
        isUsed: row.used_at !== null,
      }
    )
  }

  use(hash: string, at: number): boolean {
    return this.#use.run(at, hash).changes === 1
  }

  prune(now: number): void {
    this.#pruneConsents.run(now)
    this.#pruneSecrets.run(now)
  }
}
