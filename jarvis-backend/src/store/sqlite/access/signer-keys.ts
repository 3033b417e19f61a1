import type { SignerKeyStore, StoredSignerKey } from '../../../access/ports.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = Omit<StoredSignerKey, 'lastUsedAt'> & { lastUsedAt: number | null }

const toKey = ({ lastUsedAt, ...row }: Row): StoredSignerKey => ({ ...row, ...(lastUsedAt !== null && { lastUsedAt }) })

const columns = 'id, type, person, name, key, created_at AS createdAt, last_used_at AS lastUsedAt'

export class SqliteSignerKeyStore extends SqliteStore implements SignerKeyStore {
  readonly #insert = this.sql.prepare(
    `INSERT OR IGNORE INTO signer_keys (id, type, person, name, key, created_at)
     VALUES (@id, @type, @person, @name, @key, @createdAt)`,
  )
  readonly #select = this.sql.prepare<[string], Row>(`SELECT ${columns} FROM signer_keys WHERE id = ?`)
  readonly #selectOf = this.sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM signer_keys WHERE person = ? AND type = ? ORDER BY created_at, id`,
  )
  readonly #remove = this.sql.prepare('DELETE FROM signer_keys WHERE id = ?')
  readonly #used = this.sql.prepare('UPDATE signer_keys SET last_used_at = ? WHERE id = ?')

  add({ lastUsedAt: _, ...key }: StoredSignerKey): boolean {
    return this.#insert.run(key).changes === 1
  }

  get(id: string): StoredSignerKey | undefined {
    const row = this.#select.get(id)
    return row && toKey(row)
  }

  list(person: string, type: StoredSignerKey['type']): StoredSignerKey[] {
    return this.#selectOf.all(person, type).map(toKey)
  }

  remove(id: string): boolean {
    return this.#remove.run(id).changes === 1
  }

  used(id: string, at: number): void {
    this.#used.run(at, id)
  }
}
