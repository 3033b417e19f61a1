import type { Person } from 'protocol'
import type { PersonStore } from '../../../auth/people.ts'
import type { SignInRow, SignInStore } from '../../../auth/sign-ins.ts'
import type { Database } from '../database.ts'
import { KeptReads } from '../kept-reads.ts'
import { SqliteStore } from '../sqlite-store.ts'

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

const personColumns = 'id, name, role, created_at, disabled_at, last_seen_at'
const personIn = (row: Row | undefined) => row && toPerson(row)

export class SqlitePersonStore extends SqliteStore implements PersonStore {
  readonly #insert = this.sql.prepare(
    'INSERT OR IGNORE INTO people (id, name, role, password_hash, created_at) VALUES (?, ?, ?, ?, ?)',
  )
  readonly #byId = this.sql.prepare<[string], Row>(
    `SELECT ${personColumns} FROM people WHERE id = ? AND removed_at IS NULL`,
  )
  readonly #byName = this.sql.prepare<[string], Row>(
    `SELECT ${personColumns} FROM people WHERE name = ? AND removed_at IS NULL`,
  )
  readonly #all = this.sql.prepare<[], Row>(
    `SELECT ${personColumns} FROM people WHERE removed_at IS NULL ORDER BY name`,
  )
  readonly #names = this.sql.prepare<[], { id: string; name: string }>(
    'SELECT id, name FROM people ORDER BY created_at, id',
  )
  readonly #rename = this.sql.prepare('UPDATE OR IGNORE people SET name = ? WHERE id = ?')
  readonly #setRole = this.sql.prepare('UPDATE people SET role = ? WHERE id = ?')
  readonly #disable = this.sql.prepare('UPDATE people SET disabled_at = ? WHERE id = ?')
  readonly #remove = this.sql.prepare(
    'UPDATE people SET removed_at = ?, password_hash = NULL WHERE id = ? AND removed_at IS NULL',
  )
  readonly #touch = this.sql.prepare('UPDATE people SET last_seen_at = ? WHERE id = ?')
  readonly #hash = this.sql.prepare<[string], { hash: string | null }>(
    'SELECT password_hash AS hash FROM people WHERE id = ? AND removed_at IS NULL',
  )
  readonly #setHash = this.sql.prepare('UPDATE people SET password_hash = ? WHERE id = ?')
  readonly #kept: KeptReads<Person | undefined>

  constructor(database: Database) {
    super(database)
    this.#kept = new KeptReads(database, 'people', (id) => personIn(this.#byId.get(id)))
  }

  add({ id, name, role, createdAt }: Person, hashed: string | undefined): boolean {
    return this.#insert.run(id, name, role, hashed ?? null, createdAt).changes === 1
  }

  get(id: string): Person | undefined {
    return this.#kept.get(id)
  }

  byName(name: string): Person | undefined {
    return personIn(this.#byName.get(name))
  }

  list(): Person[] {
    return this.#all.all().map(toPerson)
  }

  names(): { id: string; name: string }[] {
    return this.#names.all()
  }

  change(
    id: string,
    { name, role, disabledAt }: { name?: string; role?: string; disabledAt?: number | null },
  ): boolean {
    if (name !== undefined && this.#rename.run(name, id).changes === 0) return false
    if (role !== undefined) this.#setRole.run(role, id)
    if (disabledAt !== undefined) this.#disable.run(disabledAt, id)
    return true
  }

  remove(id: string, at: number): boolean {
    return this.#remove.run(at, id).changes === 1
  }

  seen(id: string, at: number): void {
    this.#touch.run(at, id)
  }

  hash(id: string): string | undefined {
    return this.#hash.get(id)?.hash ?? undefined
  }

  setHash(id: string, hashed: string): void {
    this.#setHash.run(hashed, id)
  }
}

type Stored = Omit<SignInRow, 'passkey'> & { passkey: string | null }

const signInColumns = `id, person, hash, address, client, method, passkey, created_at AS createdAt, last_seen_at AS lastSeenAt,
    ends_at AS endsAt`
const toSignIn = ({ passkey, ...row }: Stored): SignInRow => ({ ...row, ...(passkey !== null && { passkey }) })

export class SqliteSignInStore extends SqliteStore implements SignInStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO sign_ins (id, person, hash, address, client, method, passkey, created_at, last_seen_at, ends_at)
     VALUES (@id, @person, @hash, @address, @client, @method, @passkey, @createdAt, @lastSeenAt, @endsAt)`,
  )
  readonly #byId = this.sql.prepare<[string], Stored>(`SELECT ${signInColumns} FROM sign_ins WHERE id = ?`)
  readonly #ofPerson = this.sql.prepare<[string], Stored>(
    `SELECT ${signInColumns} FROM sign_ins WHERE person = ? ORDER BY last_seen_at DESC, id DESC`,
  )
  readonly #touch = this.sql.prepare('UPDATE sign_ins SET last_seen_at = ? WHERE id = ?')
  readonly #end = this.sql.prepare('DELETE FROM sign_ins WHERE id = ?')
  readonly #endAll = this.sql.prepare('DELETE FROM sign_ins WHERE person = ? AND id <> ?')
  readonly #endOf = this.sql.prepare('DELETE FROM sign_ins WHERE passkey = ? AND id <> ?')
  readonly #prune = this.sql.prepare('DELETE FROM sign_ins WHERE ends_at <= ? OR last_seen_at <= ?')

  add(row: SignInRow): void {
    this.#insert.run({ passkey: null, ...row })
  }

  get(id: string): SignInRow | undefined {
    const row = this.#byId.get(id)
    return row && toSignIn(row)
  }

  list(person: string): SignInRow[] {
    return this.#ofPerson.all(person).map(toSignIn)
  }

  seen(id: string, at: number): void {
    this.#touch.run(at, id)
  }

  end(id: string): boolean {
    return this.#end.run(id).changes === 1
  }

  endAll(person: string, except = ''): void {
    this.#endAll.run(person, except)
  }

  endOf(passkey: string, except = ''): void {
    this.#endOf.run(passkey, except)
  }

  prune(at: number, unseenSince: number): void {
    this.#prune.run(at, unseenSince)
  }
}
