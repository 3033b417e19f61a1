import type { LinkStore, StoredLink } from '../../../auth/links.ts'
import type { Database } from '../database.ts'

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

export function createLinkStore({ sql }: Database): LinkStore {
  const columns = 'id, kind, by, role, name, person, created_at, expires_at'
  const insert = sql.prepare(
    `INSERT INTO links (id, kind, hash, by, role, name, person, created_at, expires_at)
     VALUES (@id, @kind, @hash, @by, @role, @name, @person, @createdAt, @expiresAt)`,
  )
  const byHash = sql.prepare<[string], Row>(`SELECT ${columns} FROM links WHERE hash = ?`)
  const all = sql.prepare<[], Row>(`SELECT ${columns} FROM links ORDER BY created_at, id`)
  const end = sql.prepare('DELETE FROM links WHERE id = ?')
  const tell = sql.prepare<[], Row>(`UPDATE links SET is_told = 1 WHERE is_told = 0 RETURNING ${columns}`)
  const prune = sql.prepare('DELETE FROM links WHERE expires_at <= ?')
  return {
    add: (link, hash) => void insert.run({ role: null, name: null, person: null, ...link, hash }),
    byHash(hash) {
      const row = byHash.get(hash)
      return row && toLink(row)
    },
    list: () => all.all().map(toLink),
    end: (id) => end.run(id).changes === 1,
    untold: () => tell.all().map(toLink),
    prune: (at) => void prune.run(at),
  }
}
