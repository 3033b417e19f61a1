import type { PasskeyStore, StoredPasskey } from '../../../access/ports.ts'
import type { Database } from '../database.ts'

type Row = {
  id: string
  person: string
  user_handle: string
  name: string
  key: string
  cose: string
  rp_id: string
  counter: number
  transports: string
  is_synced: number
  created_at: number
  last_used_at: number | null
}

const toPasskey = (row: Row): StoredPasskey => ({
  id: row.id,
  person: row.person,
  userHandle: row.user_handle,
  name: row.name,
  key: row.key,
  cose: row.cose,
  rpId: row.rp_id,
  counter: row.counter,
  transports: JSON.parse(row.transports) as string[],
  isSynced: row.is_synced === 1,
  createdAt: row.created_at,
  ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
})

export function createPasskeyStore({ sql }: Database): PasskeyStore {
  const insert = sql.prepare(
    `INSERT OR IGNORE INTO passkeys
       (id, person, user_handle, name, key, cose, rp_id, counter, transports, is_synced, created_at)
     VALUES (@id, @person, @userHandle, @name, @key, @cose, @rpId, @counter, @transports, @isSynced, @createdAt)`,
  )
  const select = sql.prepare<[string], Row>('SELECT * FROM passkeys WHERE id = ?')
  const selectOf = sql.prepare<[string], Row>('SELECT * FROM passkeys WHERE person = ? ORDER BY created_at, id')
  const rename = sql.prepare('UPDATE passkeys SET name = ? WHERE id = ? AND person = ?')
  const remove = sql.prepare('DELETE FROM passkeys WHERE id = ? AND person = ?')
  const used = sql.prepare('UPDATE passkeys SET counter = ?, last_used_at = ? WHERE id = ?')
  return {
    add({ transports, isSynced, lastUsedAt: _, ...passkey }) {
      const row = { ...passkey, transports: JSON.stringify(transports), isSynced: isSynced ? 1 : 0 }
      return insert.run(row).changes === 1
    },
    get(id) {
      const row = select.get(id)
      return row && toPasskey(row)
    },
    list: (person) => selectOf.all(person).map(toPasskey),
    rename: (id, person, name) => rename.run(name, id, person).changes === 1,
    remove: (id, person) => remove.run(id, person).changes === 1,
    used: (id, counter, at) => void used.run(counter, at, id),
  }
}
