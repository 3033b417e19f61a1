import { type Door, firstOwnerId, type TokenArea, type TokenScope } from 'protocol'
import type { ApiToken, ApiTokenStore } from '../../../auth/api-tokens.ts'
import type { RevocationStore } from '../../../auth/tokens.ts'
import type { Database } from '../database.ts'
import { KeptReads } from '../kept-reads.ts'
import { SqliteStore } from '../sqlite-store.ts'

export class SqliteRevocationStore extends SqliteStore implements RevocationStore {
  readonly #now: () => number
  readonly #insert = this.sql.prepare('INSERT OR IGNORE INTO revoked_tokens (hash, expires_at) VALUES (?, ?)')
  readonly #select = this.sql.prepare<[string], object>('SELECT 1 FROM revoked_tokens WHERE hash = ?')
  readonly #forget = this.sql.prepare('DELETE FROM revoked_tokens WHERE expires_at < ?')
  readonly #kept: KeptReads<boolean>

  constructor(database: Database, now: () => number) {
    super(database)
    this.#now = now
    this.#kept = new KeptReads(database, 'revoked_tokens', (hash) => this.#select.get(hash) !== undefined)
  }

  revoke(hash: string, expiresAt: number): void {
    this.#forget.run(this.#now())
    this.#insert.run(hash, expiresAt)
  }

  isRevoked(hash: string): boolean {
    return this.#kept.get(hash)
  }
}

export type TokenRow = {
  name: string
  hash: string
  doors: string
  scope: string
  areas: string
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
  ...(row.areas === '' ? {} : { areas: row.areas.split(',') as TokenArea[] }),
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

export class SqliteApiTokenStore extends SqliteStore implements ApiTokenStore {
  readonly #insert = this.sql.prepare(
    'INSERT OR IGNORE INTO api_tokens (name, hash, doors, scope, areas, hint, per_minute, created_at, expires_at, person) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  // The secrets of OAuth clients are stored elsewhere, so a token that was found by its hash has no client name.
  readonly #selectByHash = this.sql.prepare<[string], TokenRow>(
    'SELECT *, NULL AS client_name FROM api_tokens WHERE hash = ?',
  )
  readonly #selectAll = this.sql.prepare<[], TokenRow>(`${select} ORDER BY name`)
  readonly #remove = this.sql.prepare('DELETE FROM api_tokens WHERE name = ?')
  readonly #touch = this.sql.prepare(
    'UPDATE api_tokens SET last_used_at = ?, calls = calls + ? WHERE name = ? AND created_at = ?',
  )

  add(
    { name, doors, scope, areas = [], hint, requestsPerMinute, createdAt, expiresAt, person = firstOwnerId }: ApiToken,
    hash: string,
  ): boolean {
    const rights = [doors.join(','), scope, areas.join(','), hint ?? null, requestsPerMinute ?? null]
    return this.#insert.run(name, hash, ...rights, createdAt, expiresAt ?? null, person).changes === 1
  }

  byHash(hash: string): ApiToken | undefined {
    const row = this.#selectByHash.get(hash)
    return row && toToken(row)
  }

  list(): ApiToken[] {
    return this.#selectAll.all().map(toToken)
  }

  remove(name: string): boolean {
    return this.#remove.run(name).changes === 1
  }

  used({ name, createdAt }: Pick<ApiToken, 'name' | 'createdAt'>, at: number, calls: number): void {
    this.#touch.run(at, calls, name, createdAt)
  }
}
