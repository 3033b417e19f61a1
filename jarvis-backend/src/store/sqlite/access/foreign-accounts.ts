import type { ForeignAccount } from 'protocol'
import type { ForeignAccountStore } from '../../../auth/foreign-accounts.ts'
import { SqliteStore } from '../sqlite-store.ts'

type Row = Record<'name' | 'email' | 'person', string | null> & Omit<ForeignAccount, 'name' | 'email' | 'person'>

const toAccount = ({ name, email, person, ...facts }: Row): ForeignAccount => ({
  ...facts,
  ...(name !== null && { name }),
  ...(email !== null && { email }),
  ...(person !== null && { person }),
})

const columns = 'id, issuer, subject, name, email, person, created_at AS createdAt, last_seen_at AS lastSeenAt'

export class SqliteForeignAccountStore extends SqliteStore implements ForeignAccountStore {
  readonly #put = this.sql.prepare(
    `INSERT OR REPLACE INTO foreign_accounts (id, issuer, subject, name, email, person, created_at, last_seen_at)
     VALUES (@id, @issuer, @subject, @name, @email, @person, @createdAt, @lastSeenAt)`,
  )
  readonly #find = this.sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM foreign_accounts WHERE issuer = ? AND subject = ?`,
  )
  readonly #all = this.sql.prepare<[], Row>(`SELECT ${columns} FROM foreign_accounts ORDER BY created_at, id`)
  readonly #remove = this.sql.prepare('DELETE FROM foreign_accounts WHERE id = ?')
  readonly #touch = this.sql.prepare('UPDATE foreign_accounts SET last_seen_at = ? WHERE id = ?')

  put(account: ForeignAccount): void {
    this.#put.run({ name: null, email: null, person: null, ...account })
  }

  find(issuer: string, subject: string): ForeignAccount | undefined {
    const row = this.#find.get(issuer, subject)
    return row && toAccount(row)
  }

  list(): ForeignAccount[] {
    return this.#all.all().map(toAccount)
  }

  remove(id: string): boolean {
    return this.#remove.run(id).changes === 1
  }

  seen(id: string, at: number): void {
    this.#touch.run(at, id)
  }
}
