import type { LinkStore, StoredLink } from '../../../auth/links.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = {
  id: string
  kind: string
  by: string
  role: string | null
  name: string | null
  person: string | null
  created_at: number
  expires_at: number
}

function toLink({ id, kind, by, role, name, person, created_at, expires_at }: Row): StoredLink {
  const facts = { id, by, createdAt: created_at, expiresAt: expires_at }
  return kind === 'reset'
    ? { kind, person: person ?? '', ...facts }
    : { kind: 'join', role: role ?? '', ...(name !== null && { name }), ...facts }
}

const columns = 'id, kind, by, role, name, person, created_at, expires_at'

export class SqliteLinkStore extends SqliteStore implements LinkStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO links (id, kind, hash, by, role, name, person, created_at, expires_at)
     VALUES (@id, @kind, @hash, @by, @role, @name, @person, @createdAt, @expiresAt)`,
  )
  readonly #byHash = this.sql.prepare<[string], Row>(`SELECT ${columns} FROM links WHERE hash = ?`)
  readonly #all = this.sql.prepare<[], Row>(`SELECT ${columns} FROM links ORDER BY created_at, id`)
  readonly #end = this.sql.prepare('DELETE FROM links WHERE id = ?')
  readonly #tell = this.sql.prepare<[], Row>(`UPDATE links SET is_told = 1 WHERE is_told = 0 RETURNING ${columns}`)
  readonly #prune = this.sql.prepare('DELETE FROM links WHERE expires_at <= ?')

  add(link: StoredLink, hash: string): void {
    this.#insert.run({ role: null, name: null, person: null, ...link, hash })
  }

  byHash(hash: string): StoredLink | undefined {
    const row = this.#byHash.get(hash)
    return row && toLink(row)
  }

  list(): StoredLink[] {
    return this.#all.all().map(toLink)
  }

  end(id: string): boolean {
    return this.#end.run(id).changes === 1
  }

  untold(): StoredLink[] {
    return this.#tell.all().map(toLink)
  }

  prune(at: number): void {
    this.#prune.run(at)
  }
}
