import { type Door, firstOwnerId, type TokenScope } from 'protocol'
import type { ApiToken, ApiTokenStore } from '../../../auth/api-tokens.ts'
import type { RevocationStore } from '../../../auth/tokens.ts'
import type { Database } from '../database.ts'
import { KeptReads } from '../kept-reads.ts'

export function createRevocationStore(database: Database, now: () => number): RevocationStore {
  const { sql } = database
  const insert = sql.prepare('INSERT OR IGNORE INTO revoked_tokens (hash, expires_at) VALUES (?, ?)')
  const select = sql.prepare<[string], object>('SELECT 1 FROM revoked_tokens WHERE hash = ?')
  const forget = sql.prepare('DELETE FROM revoked_tokens WHERE expires_at < ?')
  const kept = new KeptReads(database, 'revoked_tokens', (hash) => select.get(hash) !== undefined)
  return {
    revoke(hash, expiresAt) {
      forget.run(now())
      insert.run(hash, expiresAt)
    },
    isRevoked: (hash) => kept.get(hash),
  }
}

export type TokenRow = {
  name: string
  hash: string
  doors: string
  scope: string
  hint: string | null
  created_at: number
  expires_at: number | null
  last_used_at: number | null
  calls: number
  per_minute: number | null
  person: string
  /** Set for a token that belongs to an OAuth client. */
  client_name: string | null
}

export const toToken = (row: TokenRow): ApiToken => ({
  name: row.name,
  doors: row.doors.split(',') as Door[],
  scope: row.scope as TokenScope,
  ...(row.hint === null ? {} : { hint: row.hint }),
  ...(row.per_minute === null ? {} : { requestsPerMinute: row.per_minute }),
  calls: row.calls,
  createdAt: row.created_at,
  ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
  ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at }),
  ...(row.person === firstOwnerId ? {} : { person: row.person }),
  ...(row.client_name === null ? {} : { clientName: row.client_name }),
})

const select = 'SELECT api_tokens.*, client_name FROM api_tokens LEFT JOIN oauth_consents USING (name)'

export function createApiTokenStore({ sql }: Database): ApiTokenStore {
  const insert = sql.prepare(
    'INSERT OR IGNORE INTO api_tokens (name, hash, doors, scope, hint, per_minute, created_at, expires_at, person) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  // The secrets of OAuth clients are stored elsewhere, so a token that was found by its hash has no client name.
  const selectByHash = sql.prepare<[string], TokenRow>('SELECT *, NULL AS client_name FROM api_tokens WHERE hash = ?')
  const selectAll = sql.prepare<[], TokenRow>(`${select} ORDER BY name`)
  const remove = sql.prepare('DELETE FROM api_tokens WHERE name = ?')
  const touch = sql.prepare(
    'UPDATE api_tokens SET last_used_at = ?, calls = calls + ? WHERE name = ? AND created_at = ?',
  )
  return {
    add({ name, doors, scope, hint, requestsPerMinute, createdAt, expiresAt, person = firstOwnerId }, hash) {
      const rights = [doors.join(','), scope, hint ?? null, requestsPerMinute ?? null]
      return insert.run(name, hash, ...rights, createdAt, expiresAt ?? null, person).changes === 1
    },
    byHash(hash) {
      const row = selectByHash.get(hash)
      return row && toToken(row)
    },
    list: () => selectAll.all().map(toToken),
    remove: (name) => remove.run(name).changes === 1,
    used: ({ name, createdAt }, at, calls) => void touch.run(at, calls, name, createdAt),
  }
}
