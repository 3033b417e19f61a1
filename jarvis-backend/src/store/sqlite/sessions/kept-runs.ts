import type { KeptRun, KeptRunStore } from '../../../agent/sessions/kept-runs.ts'
import type { Database } from '../database.ts'
import { SqliteStore } from '../sqlite-store.ts'

const columns = 'run_id AS id, session_id AS sessionId, token_name AS tokenName, at'

/** @param before requests older than this, Unix ms, have expired */
export class SqliteKeptRunStore extends SqliteStore implements KeptRunStore {
  readonly #atomically: Database['atomically']
  readonly #before: () => number
  readonly #insert = this.sql.prepare(
    'INSERT OR IGNORE INTO kept_runs (run_id, session_id, token_name, at) VALUES (?, ?, ?, ?)',
  )
  readonly #select = this.sql.prepare<[string], KeptRun>(`SELECT ${columns} FROM kept_runs WHERE run_id = ?`)
  readonly #selectOf = this.sql.prepare<[string, number], KeptRun>(
    `SELECT ${columns} FROM kept_runs WHERE session_id = ? ORDER BY at DESC, run_id DESC LIMIT ?`,
  )
  readonly #forget = this.sql.prepare(
    `DELETE FROM kept_runs WHERE session_id = ? AND at < ?
       AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = run_id AND status <> 'ended')`,
  )

  constructor(database: Database, before: () => number) {
    super(database)
    this.#atomically = database.atomically
    this.#before = before
  }

  keep({ id, sessionId, tokenName, at }: KeptRun): void {
    this.#atomically(() => {
      this.#forget.run(sessionId, this.#before())
      this.#insert.run(id, sessionId, tokenName, at)
    })
  }

  get(runId: string): KeptRun | undefined {
    return this.#select.get(runId)
  }

  list(sessionId: string, limit: number): KeptRun[] {
    return this.#selectOf.all(sessionId, limit)
  }
}
