import type { McpToken, McpTokenStore } from '../../../auth/mcp-tokens.ts'
import type { RevocationStore } from '../../../auth/tokens.ts'
import type { Database } from '../database.ts'

export function createRevocationStore({ sql }: Database, now: () => number): RevocationStore {
  const insert = sql.prepare('INSERT OR IGNORE INTO revoked_tokens (hash, expires_at) VALUES (?, ?)')
  const select = sql.prepare<[string], object>('SELECT 1 FROM revoked_tokens WHERE hash = ?')
  const forget = sql.prepare('DELETE FROM revoked_tokens WHERE expires_at < ?')
  return {
    revoke(hash, expiresAt) {
      forget.run(now())
      insert.run(hash, expiresAt)
    },
    isRevoked: (hash) => select.get(hash) !== undefined,
  }
}

export type TokenRow = {
  name: string
  hash: string
  is_read_only: number
  created_at: number
  expires_at: number | null
  last_used_at: number | null
  /** Set for a token that belongs to an OAuth client. */
  client_name: string | null
}

export const toToken = (row: TokenRow): McpToken => ({
  name: row.name,
  isReadOnly: row.is_read_only === 1,
  createdAt: row.created_at,
  ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
  ...(row.last_used_at === null ? {} : { lastUsedAt: row.last_used_at }),
  ...(row.client_name === null ? {} : { clientName: row.client_name }),
})

const select = 'SELECT mcp_tokens.*, client_name FROM mcp_tokens LEFT JOIN oauth_consents USING (name)'

export function createMcpTokenStore({ sql }: Database): McpTokenStore {
  const insert = sql.prepare(
    'INSERT OR IGNORE INTO mcp_tokens (name, hash, is_read_only, created_at, expires_at) VALUES (?, ?, ?, ?, ?)',
  )
  // An OAuth client's secrets have hashes elsewhere, so a token found by its hash has no client name.
  const selectByHash = sql.prepare<[string], TokenRow>('SELECT *, NULL AS client_name FROM mcp_tokens WHERE hash = ?')
  const selectAll = sql.prepare<[], TokenRow>(`${select} ORDER BY name`)
  const remove = sql.prepare('DELETE FROM mcp_tokens WHERE name = ?')
  const touch = sql.prepare('UPDATE mcp_tokens SET last_used_at = ? WHERE name = ?')
  return {
    add: ({ name, isReadOnly, createdAt, expiresAt }, hash) =>
      insert.run(name, hash, isReadOnly ? 1 : 0, createdAt, expiresAt ?? null).changes === 1,
    byHash(hash) {
      const row = selectByHash.get(hash)
      return row && toToken(row)
    },
    list: () => selectAll.all().map(toToken),
    remove: (name) => remove.run(name).changes === 1,
    used: (name, at) => void touch.run(at, name),
  }
}
