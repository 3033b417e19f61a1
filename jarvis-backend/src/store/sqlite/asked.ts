import type { Asked, AskedStore } from '../../v1/asked.ts'
import type { Database } from './database.ts'
import { SqliteStore } from './sqlite-store.ts'

type Row = Omit<Asked, 'key' | 'isDelivered'> & { key: string | null; isDelivered: 0 | 1 }
const toAsked = ({ key, isDelivered, ...row }: Row): Asked => ({
  ...row,
  ...(key !== null && { key }),
  isDelivered: isDelivered === 1,
})
const columns =
  'run_id AS runId, session_id AS sessionId, token, door, session, key, hash, at, is_delivered AS isDelivered'

export class SqliteAskedStore extends SqliteStore implements AskedStore {
  readonly #atomically: Database['atomically']
  readonly #insert = this.sql.prepare(
    `INSERT INTO asked (run_id, session_id, token, door, session, key, hash, at, is_delivered)
     VALUES (@runId, @sessionId, @token, @door, @session, @key, @hash, @at, @isDelivered)`,
  )
  readonly #selectKey = this.sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM asked WHERE token = ? AND key = ? ORDER BY at DESC, run_id DESC LIMIT 1`,
  )
  readonly #selectSame = this.sql.prepare<Pick<Asked, 'token' | 'door' | 'session' | 'hash'>, Row>(
    `SELECT ${columns} FROM asked WHERE token = @token AND hash = @hash AND door = @door AND session = @session AND key IS NULL
     ORDER BY at DESC, run_id DESC LIMIT 1`,
  )
  readonly #deliver = this.sql.prepare('UPDATE asked SET is_delivered = 1 WHERE run_id = ?')
  readonly #remove = this.sql.prepare('DELETE FROM asked WHERE run_id = ?')
  readonly #forgetNamed = this.sql.prepare("DELETE FROM asked WHERE at < ? AND session <> ''")
  readonly #forgetSingle = this.sql.prepare("UPDATE asked SET key = NULL, hash = '' WHERE at < ? AND hash <> ''")
  readonly #selectSingle = this.sql.prepare<
    { before: number; recent: number; most: number; limit: number },
    Pick<Asked, 'runId' | 'sessionId'>
  >(
    `SELECT run_id AS runId, session_id AS sessionId FROM
       (SELECT *, row_number() OVER (PARTITION BY token ORDER BY at DESC) AS place FROM asked WHERE session = '')
     WHERE at < @before OR (place > @most AND at < @recent) ORDER BY at, run_id LIMIT @limit`,
  )

  constructor(database: Database) {
    super(database)
    this.#atomically = database.atomically
  }

  add(asked: Asked): void {
    this.#insert.run({ ...asked, key: asked.key ?? null, isDelivered: asked.isDelivered ? 1 : 0 })
  }

  byKey(token: string, key: string): Asked | undefined {
    const row = this.#selectKey.get(token, key)
    return row && toAsked(row)
  }

  same(request: Pick<Asked, 'token' | 'door' | 'session' | 'hash'>): Asked | undefined {
    const row = this.#selectSame.get(request)
    return row && toAsked(row)
  }

  delivered(runId: string): void {
    this.#deliver.run(runId)
  }

  forget(runId: string): void {
    this.#remove.run(runId)
  }

  forgetOld(before: number): void {
    this.#atomically(() => {
      this.#forgetNamed.run(before)
      this.#forgetSingle.run(before)
    })
  }

  single(query: { before: number; recent: number; most: number; limit: number }): Pick<Asked, 'runId' | 'sessionId'>[] {
    return this.#selectSingle.all(query)
  }
}
