import type { Person } from 'protocol'
import type { PersonStore } from '../../../auth/people.ts'
import type { SignInRow, SignInStore } from '../../../auth/sign-ins.ts'
import type { Database } from '../database.ts'
import { KeptReads } from '../kept-reads.ts'

type Row = {
  id: string
  name: string
  role: string
  created_at: number
  disabled_at: number | null
  last_seen_at: number | null
}

const toPerson = (row: Row): Person => ({
  id: row.id,
  name: row.name,
  role: row.role,
  createdAt: row.created_at,
  ...(row.disabled_at === null ? {} : { disabledAt: row.disabled_at }),
  ...(row.last_seen_at === null ? {} : { lastSeenAt: row.last_seen_at }),
})

export function createPersonStore(database: Database): PersonStore {
  const { sql } = database
  const columns = 'id, name, role, created_at, disabled_at, last_seen_at'
  const insert = sql.prepare(
    'INSERT OR IGNORE INTO people (id, name, role, password_hash, created_at) VALUES (?, ?, ?, ?, ?)',
  )
  const byId = sql.prepare<[string], Row>(`SELECT ${columns} FROM people WHERE id = ? AND removed_at IS NULL`)
  const byName = sql.prepare<[string], Row>(`SELECT ${columns} FROM people WHERE name = ? AND removed_at IS NULL`)
  const all = sql.prepare<[], Row>(`SELECT ${columns} FROM people WHERE removed_at IS NULL ORDER BY name`)
  const names = sql.prepare<[], { id: string; name: string }>('SELECT id, name FROM people ORDER BY created_at, id')
  const rename = sql.prepare('UPDATE OR IGNORE people SET name = ? WHERE id = ?')
  const setRole = sql.prepare('UPDATE people SET role = ? WHERE id = ?')
  const disable = sql.prepare('UPDATE people SET disabled_at = ? WHERE id = ?')
  const remove = sql.prepare(
    'UPDATE people SET removed_at = ?, password_hash = NULL WHERE id = ? AND removed_at IS NULL',
  )
  const touch = sql.prepare('UPDATE people SET last_seen_at = ? WHERE id = ?')
  const hash = sql.prepare<[string], { hash: string | null }>(
    'SELECT password_hash AS hash FROM people WHERE id = ? AND removed_at IS NULL',
  )
  const setHash = sql.prepare('UPDATE people SET password_hash = ? WHERE id = ?')
  const known = (row: Row | undefined) => row && toPerson(row)
  const kept = new KeptReads(database, 'people', (id) => known(byId.get(id)))
  return {
    add: ({ id, name, role, createdAt }, hashed) => insert.run(id, name, role, hashed ?? null, createdAt).changes === 1,
    get: (id) => kept.get(id),
    byName: (name) => known(byName.get(name)),
    list: () => all.all().map(toPerson),
    names: () => names.all(),
    change(id, { name, role, disabledAt }) {
      if (name !== undefined && rename.run(name, id).changes === 0) return false
      if (role !== undefined) setRole.run(role, id)
      if (disabledAt !== undefined) disable.run(disabledAt, id)
      return true
    },
    remove: (id, at) => remove.run(at, id).changes === 1,
    seen: (id, at) => void touch.run(at, id),
    hash: (id) => hash.get(id)?.hash ?? undefined,
    setHash: (id, hashed) => void setHash.run(hashed, id),
  }
}

type Stored = Omit<SignInRow, 'passkey'> & { passkey: string | null }

export function createSignInStore({ sql }: Database): SignInStore {
  const columns = `id, person, hash, address, client, method, passkey, created_at AS createdAt, last_seen_at AS lastSeenAt,
    ends_at AS endsAt`
  const toRow = ({ passkey, ...row }: Stored): SignInRow => ({ ...row, ...(passkey !== null && { passkey }) })
  const insert = sql.prepare(
    `INSERT INTO sign_ins (id, person, hash, address, client, method, passkey, created_at, last_seen_at, ends_at)
     VALUES (@id, @person, @hash, @address, @client, @method, @passkey, @createdAt, @lastSeenAt, @endsAt)`,
  )
  const byId = sql.prepare<[string], Stored>(`SELECT ${columns} FROM sign_ins WHERE id = ?`)
  const ofPerson = sql.prepare<[string], Stored>(
    `SELECT ${columns} FROM sign_ins WHERE person = ? ORDER BY last_seen_at DESC, id DESC`,
  )
  const touch = sql.prepare('UPDATE sign_ins SET last_seen_at = ? WHERE id = ?')
  const end = sql.prepare('DELETE FROM sign_ins WHERE id = ?')
  const endAll = sql.prepare('DELETE FROM sign_ins WHERE person = ? AND id <> ?')
  const endOf = sql.prepare('DELETE FROM sign_ins WHERE passkey = ? AND id <> ?')
  const prune = sql.prepare('DELETE FROM sign_ins WHERE ends_at <= ? OR last_seen_at <= ?')
  return {
    add: (row) => void insert.run({ passkey: null, ...row }),
    get(id) {
      const row = byId.get(id)
      return row && toRow(row)
    },
    list: (person) => ofPerson.all(person).map(toRow),
    seen: (id, at) => void touch.run(at, id),
    end: (id) => end.run(id).changes === 1,
    endAll: (person, except = '') => void endAll.run(person, except),
    endOf: (passkey, except = '') => void endOf.run(passkey, except),
    prune: (at, unseenSince) => void prune.run(at, unseenSince),
  }
}
