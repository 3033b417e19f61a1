import type { KeptRun, KeptRunStore } from '../../../agent/sessions/kept-runs.ts'
import type { Database } from '../database.ts'

const columns = 'run_id AS id, session_id AS sessionId, token_name AS tokenName, at'

/** @param before requests older than this, Unix ms, have expired */
export function createKeptRunStore({ sql, atomically }: Database, before: () => number): KeptRunStore {
  const insert = sql.prepare('INSERT OR IGNORE INTO kept_runs (run_id, session_id, token_name, at) VALUES (?, ?, ?, ?)')
  const select = sql.prepare<[string], KeptRun>(`SELECT ${columns} FROM kept_runs WHERE run_id = ?`)
  const selectOf = sql.prepare<[string, number], KeptRun>(
    `SELECT ${columns} FROM kept_runs WHERE session_id = ? ORDER BY at DESC, run_id DESC LIMIT ?`,
  )
  const forget = sql.prepare(
    `DELETE FROM kept_runs WHERE session_id = ? AND at < ?
       AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = run_id AND status <> 'ended')`,
  )
  return {
    keep: ({ id, sessionId, tokenName, at }) =>
      atomically(() => {
        forget.run(sessionId, before())
        insert.run(id, sessionId, tokenName, at)
      }),
    get: (runId) => select.get(runId),
    list: (sessionId, limit) => selectOf.all(sessionId, limit),
  }
}
