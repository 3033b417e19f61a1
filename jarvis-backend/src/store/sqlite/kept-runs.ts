import type { KeptRun, KeptRuns } from '../../agent/kept-runs.ts'
import type { Database } from './database.ts'

const columns = 'run_id AS id, session_id AS sessionId, token_name AS tokenName, at'

export function createKeptRuns({ sql, atomically }: Database): KeptRuns {
  const insert = sql.prepare('INSERT OR IGNORE INTO kept_runs (run_id, session_id, token_name, at) VALUES (?, ?, ?, ?)')
  const select = sql.prepare<[string], KeptRun>(`SELECT ${columns} FROM kept_runs WHERE run_id = ?`)
  const selectOf = sql.prepare<[string, number], KeptRun>(
    `SELECT ${columns} FROM kept_runs WHERE session_id = ? ORDER BY at DESC, run_id DESC LIMIT ?`,
  )
  return {
    keep: ({ id, sessionId, tokenName, at }) => atomically(() => void insert.run(id, sessionId, tokenName, at)),
    get: (runId) => select.get(runId),
    list: (sessionId, limit) => selectOf.all(sessionId, limit),
  }
}
