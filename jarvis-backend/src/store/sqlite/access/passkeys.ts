import type { PasskeyStore, StoredPasskey } from '../../../access/ports.ts'
import { SqliteStore } from '../sqlite-store.ts'

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

export class SqlitePasskeyStore extends SqliteStore implements PasskeyStore {
  readonly #insert = this.sql.prepare(
    `INSERT OR IGNORE INTO passkeys
       (id, person, user_handle, name, key, cose, rp_id, counter, transports, is_synced, created_at)
     VALUES (@id, @person, @userHandle, @name, @key, @cose, @rpId, @counter, @transports, @isSynced, @createdAt)`,
  )
  readonly #select = this.sql.prepare<[string], Row>('SELECT * FROM passkeys WHERE id = ?')
  readonly #selectOf = this.sql.prepare<[string], Row>(
    'SELECT * FROM passkeys WHERE person = ? ORDER BY created_at, id',
  )
  readonly #rename = this.sql.prepare('UPDATE passkeys SET name = ? WHERE id = ? AND person = ?')
  readonly #remove = this.sql.prepare('DELETE FROM passkeys WHERE id = ? AND person = ?')
  readonly #used = this.sql.prepare('UPDATE passkeys SET counter = ?, last_used_at = ? WHERE id = ?')

  add({ transports, isSynced, lastUsedAt: _, ...passkey }: StoredPasskey): boolean {
    const row = { ...passkey, transports: JSON.stringify(transports), isSynced: isSynced ? 1 : 0 }
    return this.#insert.run(row).changes === 1
  }

  get(id: string): StoredPasskey | undefined {
    const row = this.#select.get(id)
    return row && toPasskey(row)
  }

  list(person: string): StoredPasskey[] {
    return this.#selectOf.all(person).map(toPasskey)
  }

  rename(id: string, person: string, name: string): boolean {
    return this.#rename.run(name, id, person).changes === 1
  }

  remove(id: string, person: string): boolean {
    return this.#remove.run(id, person).changes === 1
  }

  used(id: string, counter: number, at: number): void {
    this.#used.run(counter, at, id)
  }
}
