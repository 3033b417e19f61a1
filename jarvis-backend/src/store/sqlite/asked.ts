import type { Asked, AskedStore } from '../../v1/asked.ts'
import type { Database } from './database.ts'

type Row = Omit<Asked, 'key' | 'isDelivered'> & { key: string | null; isDelivered: 0 | 1 }
const toAsked = ({ key, isDelivered, ...row }: Row): Asked => ({
  ...row,
  ...(key !== null && { key }),
  isDelivered: isDelivered === 1,
})
const columns =
  'run_id AS runId, session_id AS sessionId, token, door, session, key, hash, at, is_delivered AS isDelivered'

export function createAskedStore({ sql, atomically }: Database): AskedStore {
  const insert = sql.prepare(
    `INSERT INTO asked (run_id, session_id, token, door, session, key, hash, at, is_delivered)
     VALUES (@runId, @sessionId, @token, @door, @session, @key, @hash, @at, @isDelivered)`,
  )
  const selectKey = sql.prepare<[string, string], Row>(
    `SELECT ${columns} FROM asked WHERE token = ? AND key = ? ORDER BY at DESC, run_id DESC LIMIT 1`,
  )
  const selectSame = sql.prepare<Pick<Asked, 'token' | 'door' | 'session' | 'hash'>, Row>(
    `SELECT ${columns} FROM asked WHERE token = @token AND hash = @hash AND door = @door AND session = @session AND key IS NULL
     ORDER BY at DESC, run_id DESC LIMIT 1`,
  )
  const deliver = sql.prepare('UPDATE asked SET is_delivered = 1 WHERE run_id = ?')
  const remove = sql.prepare('DELETE FROM asked WHERE run_id = ?')
  const forgetNamed = sql.prepare("DELETE FROM asked WHERE at < ? AND session <> ''")
  const forgetSingle = sql.prepare("UPDATE asked SET key = NULL, hash = '' WHERE at < ? AND hash <> ''")
  const selectSingle = sql.prepare<
    { before: number; recent: number; most: number; limit: number },
    Pick<Asked, 'runId' | 'sessionId'>
  >(
    `SELECT run_id AS runId, session_id AS sessionId FROM
       (SELECT *, row_number() OVER (PARTITION BY token ORDER BY at DESC) AS place FROM asked WHERE session = '')
     WHERE at < @before OR (place > @most AND at < @recent) ORDER BY at, run_id LIMIT @limit`,
  )
  return {
    add: (asked) => void insert.run({ ...asked, key: asked.key ?? null, isDelivered: asked.isDelivered ? 1 : 0 }),
    byKey(token, key) {
      const row = selectKey.get(token, key)
      return row && toAsked(row)
    },
    same(request) {
      const row = selectSame.get(request)
      return row && toAsked(row)
    },
    delivered: (runId) => void deliver.run(runId),
    forget: (runId) => void remove.run(runId),
    forgetOld: (before) =>
      atomically(() => {
        forgetNamed.run(before)
        forgetSingle.run(before)
      }),
    single: (query) => selectSingle.all(query),
  }
}
