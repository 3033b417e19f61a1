import type { ForeignAccount } from 'protocol'
import type { ForeignAccountStore } from '../../../auth/foreign-accounts.ts'
import type { Database } from '../database.ts'

type Row = Record<'name' | 'email' | 'person', string | null> & Omit<ForeignAccount, 'name' | 'email' | 'person'>

const toAccount = ({ name, email, person, ...facts }: Row): ForeignAccount => ({
  ...facts,
  ...(name !== null && { name }),
  ...(email !== null && { email }),
  ...(person !== null && { person }),
})

export function createForeignAccountStore({ sql }: Database): ForeignAccountStore {
  const columns = 'id, issuer, subject, name, email, person, created_at AS createdAt, last_seen_at AS lastSeenAt'
  const put = sql.prepare(
    `INSERT OR REPLACE INTO foreign_accounts (id, issuer, subject, name, email, person, created_at, last_seen_at)
     VALUES (@id, @issuer, @subject, @name, @email, @person, @createdAt, @lastSeenAt)`,
  )
  const find = sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM foreign_accounts WHERE issuer = ? AND subject = ?`,
  )
  const all = sql.prepare<[], Row>(`SELECT ${columns} FROM foreign_accounts ORDER BY created_at, id`)
  const remove = sql.prepare('DELETE FROM foreign_accounts WHERE id = ?')
  const touch = sql.prepare('UPDATE foreign_accounts SET last_seen_at = ? WHERE id = ?')
  return {
    put: (account) => void put.run({ name: null, email: null, person: null, ...account }),
    find(issuer, subject) {
      const row = find.get(issuer, subject)
      return row && toAccount(row)
    },
    list: () => all.all().map(toAccount),
    remove: (id) => remove.run(id).changes === 1,
    seen: (id, at) => void touch.run(at, id),
  }
}
