import { firstOwnerId } from 'protocol'
import type { Consent, OAuthSecret, OAuthStore } from '../../../auth/oauth-store.ts'
import type { Database } from '../database.ts'
import { type TokenRow, toToken } from './tokens.ts'

type ClientRow = { id: string; name: string; redirect_uris: string }
type SecretRow = TokenRow & {
  client_id: string
  resource: string
  kind: OAuthSecret['kind']
  secret_expires_at: number
  used_at: number | null
}

/** Stores OAuth clients, consents and secrets. A consent is a row of `api_tokens` whose hash column holds no real hash, so no token matches it. */
export function createOAuthStore({ sql }: Database): OAuthStore {
  const insertClient = sql.prepare(
    'INSERT INTO oauth_clients (id, name, redirect_uris, created_at) VALUES (?, ?, ?, ?)',
  )
  const selectClient = sql.prepare<[string], ClientRow>('SELECT * FROM oauth_clients WHERE id = ?')
  const pruneClients = sql.prepare(`
    DELETE FROM oauth_clients
    WHERE id NOT IN (SELECT client_id FROM oauth_consents)
      AND (created_at < ? OR id NOT IN (SELECT id FROM oauth_clients ORDER BY created_at DESC, id DESC LIMIT ?))`)
  const insertToken = sql.prepare(
    `INSERT INTO api_tokens (name, hash, doors, scope, per_minute, created_at, expires_at, person)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertConsent = sql.prepare(
    'INSERT INTO oauth_consents (name, client_id, client_name, resource) VALUES (?, ?, ?, ?)',
  )
  const isConsent = 'name IN (SELECT name FROM oauth_consents)'
  const extend = sql.prepare(`UPDATE api_tokens SET expires_at = ? WHERE name = ? AND ${isConsent}`)
  const until = sql.prepare<[string], { expires_at: number }>(
    `SELECT expires_at FROM api_tokens WHERE name = ? AND ${isConsent}`,
  )
  const end = sql.prepare(`DELETE FROM api_tokens WHERE name = ? AND ${isConsent}`)
  const insertSecret = sql.prepare('INSERT INTO oauth_secrets (hash, name, kind, expires_at) VALUES (?, ?, ?, ?)')
  const selectSecret = sql.prepare<[string], SecretRow>(`
    SELECT api_tokens.*, client_id, client_name, resource, kind, oauth_secrets.expires_at AS secret_expires_at, used_at
    FROM oauth_secrets JOIN oauth_consents USING (name) JOIN api_tokens USING (name)
    WHERE oauth_secrets.hash = ?`)
  const use = sql.prepare('UPDATE oauth_secrets SET used_at = ? WHERE hash = ? AND used_at IS NULL')
  const pruneConsents = sql.prepare(`DELETE FROM api_tokens WHERE expires_at <= ? AND ${isConsent}`)
  const pruneSecrets = sql.prepare('DELETE FROM oauth_secrets WHERE expires_at <= ?')

  const toConsent = (row: SecretRow): Consent => ({
    token: toToken(row),
    clientId: row.client_id,
    resource: row.resource,
  })

  return {
    addClient: ({ id, name, redirectUris }, createdAt) =>
      void insertClient.run(id, name, JSON.stringify(redirectUris), createdAt),
    client(id) {
      const row = selectClient.get(id)
      return row && { id, name: row.name, redirectUris: JSON.parse(row.redirect_uris) as string[] }
    },
    pruneClients: (before, most) => void pruneClients.run(before, most),
    addConsent({ token, clientId, resource }) {
      const { name, doors, scope, requestsPerMinute, createdAt, expiresAt, clientName, person = firstOwnerId } = token
      const rights = [doors.join(','), scope, requestsPerMinute ?? null]
      insertToken.run(name, `consent ${name}`, ...rights, createdAt, expiresAt ?? null, person)
      insertConsent.run(name, clientId, clientName ?? '', resource)
    },
    extendConsent: (name, expiresAt) => void extend.run(expiresAt, name),
    consentUntil: (name) => until.get(name)?.expires_at,
    endConsent: (name) => end.run(name).changes === 1,
    addSecret: (hash, { name, kind, expiresAt }) => void insertSecret.run(hash, name, kind, expiresAt),
    secret(hash) {
      const row = selectSecret.get(hash)
      return (
        row && {
          consent: toConsent(row),
          kind: row.kind,
          expiresAt: row.secret_expires_at,
          isUsed: row.used_at !== null,
        }
      )
    },
    use: (hash, at) => use.run(at, hash).changes === 1,
    prune(now) {
      pruneConsents.run(now)
      pruneSecrets.run(now)
    },
  }
}
