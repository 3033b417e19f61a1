import type { SignerKeyStore, StoredSignerKey } from '../../../access/ports.ts'
import type { Database } from '../database.ts'

type Row = Omit<StoredSignerKey, 'lastUsedAt'> & { lastUsedAt: number | null }

const toKey = ({ lastUsedAt, ...row }: Row): StoredSignerKey => ({ ...row, ...(lastUsedAt !== null && { lastUsedAt }) })

export function createSignerKeyStore({ sql }: Database): SignerKeyStore {
  const columns = 'id, type, person, name, key, created_at AS createdAt, last_used_at AS lastUsedAt'
  const insert = sql.prepare(
    `INSERT OR IGNORE INTO signer_keys (id, type, person, name, key, created_at)
     VALUES (@id, @type, @person, @name, @key, @createdAt)`,
  )
  const select = sql.prepare<[string], Row>(`SELECT ${columns} FROM signer_keys WHERE id = ?`)
  const selectOf = sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM signer_keys WHERE person = ? AND type = ? ORDER BY created_at, id`,
  )
  const remove = sql.prepare('DELETE FROM signer_keys WHERE id = ?')
  const used = sql.prepare('UPDATE signer_keys SET last_used_at = ? WHERE id = ?')
  return {
    add: ({ lastUsedAt: _, ...key }) => insert.run(key).changes === 1,
    get(id) {
      const row = select.get(id)
      return row && toKey(row)
    },
    list: (person, type) => selectOf.all(person, type).map(toKey),
    remove: (id) => remove.run(id).changes === 1,
    used: (id, at) => void used.run(at, id),
  }
}
