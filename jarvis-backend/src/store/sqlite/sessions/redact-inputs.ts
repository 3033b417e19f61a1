import type { Content } from 'protocol'
import type { Database } from '../database.ts'
import { SqliteStore } from '../sqlite-store.ts'
import type { HeldInputs } from './held-inputs.ts'

/** Name of the setting that tells how far the stored arguments are redacted: a row of `entries`, or `all`. */
export const inputsRedacted = 'stored_inputs_redacted'
/** Longest time that a slice may block other work, ms. */
const sliceMs = 25
const settleMs = 1_000
const betweenSlicesMs = 10
const rowsAtOnce = 50
/** A larger database file is not rewritten, bytes, because that would block other work for seconds. */
const rewrittenUpToBytes = 256 * 1024 * 1024

type Row = { at: number; sessionId: string; runId: string; isOver: 0 | 1; body: string }

type Parts = {
  held: Pick<HeldInputs, 'hold'>
  redact<T>(value: T): T
  /** Calls `run` after `ms`, unless the server shuts down first. */
  later(ms: number, run: () => void): void
  report(error: unknown, message: string): void
}

/**
 * Redacts the arguments that earlier releases stored unredacted, in slices; after a restart it continues. At the end the database file is rewritten,
 * because pages that SQLite has split keep parts of their old content.
 */
export class InputsRedaction extends SqliteStore {
  readonly #atomically: Database['atomically']
  readonly #parts: Parts
  readonly #selectReached = this.sql.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck()
  readonly #putReached = this.sql.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)')
  readonly #selectRows = this.sql.prepare<[number, number], Row>(
    `SELECT entries.rowid AS at, entries.session_id AS sessionId, run_id AS runId, COALESCE(status = 'ended', 1) AS isOver, body
     FROM entries LEFT JOIN runs ON runs.id = run_id WHERE entries.rowid > ? AND type = 'assistant'
     ORDER BY entries.rowid LIMIT ?`,
  )
  readonly #updateBody = this.sql.prepare('UPDATE entries SET body = ? WHERE rowid = ?')
  readonly #selectPlans = this.sql.prepare<[], { id: string; facts: string }>(
    'SELECT id, facts FROM plans WHERE ended_at IS NOT NULL',
  )
  readonly #updatePlan = this.sql.prepare('UPDATE plans SET facts = ? WHERE id = ?')

  constructor(database: Pick<Database, 'sql' | 'atomically'>, parts: Parts) {
    super(database)
    this.#atomically = database.atomically
    this.#parts = parts
  }

  /** Begins soon, and goes on until all rows are done. */
  schedule(): void {
    this.#scheduleIn(settleMs)
  }

  /** @param forMs time that it may take. @returns true if all rows are done; false also if the disk failed */
  goOn(forMs: number): boolean {
    const reached = this.#selectReached.get(inputsRedacted) ?? '0'
    if (reached === 'all') return true
    this.sql.pragma('secure_delete = ON')
    try {
      const isAll = this.#atomically(() => this.#takeSome(Number(reached), performance.now() + forMs))
      if (!isAll) return false
      const pages = Number(this.sql.pragma('page_count', { simple: true }))
      if (pages * Number(this.sql.pragma('page_size', { simple: true })) <= rewrittenUpToBytes) this.sql.exec('VACUUM')
      this.#putReached.run(inputsRedacted, 'all')
      this.sql.pragma('wal_checkpoint(TRUNCATE)')
      return true
    } finally {
      this.sql.pragma('secure_delete = OFF')
    }
  }

  #scheduleIn(ms: number): void {
    if (this.#selectReached.get(inputsRedacted) === 'all') return
    this.#parts.later(ms, () => {
      try {
        if (!this.goOn(sliceMs)) this.#scheduleIn(betweenSlicesMs)
      } catch (error) {
        // Stop here: the next start continues.
        this.#parts.report(error, 'stored arguments could not be redacted')
      }
    })
  }

  /** @returns true if all rows are done */
  #takeSome(from: number, until: number): boolean {
    for (let reached = from; ; ) {
      const rows = this.#selectRows.all(reached, rowsAtOnce)
      for (const row of rows) {
        this.#redactRow(row)
        reached = row.at
        if (performance.now() >= until) break
      }
      const isAll = rows.length < rowsAtOnce && reached === (rows.at(-1)?.at ?? reached)
      if (isAll) this.#redactPlans()
      this.#putReached.run(inputsRedacted, String(reached))
      if (isAll || performance.now() >= until) return isAll
    }
  }

  #redactRow({ at, sessionId, runId, isOver, body }: Row): void {
    if (!body.includes('"tool_call"')) return
    const entry = JSON.parse(body) as { content: Content[] }
    const content = this.#parts.held.hold({ sessionId, runId }, entry.content, isOver === 1)
    if (content !== entry.content) this.#updateBody.run(JSON.stringify({ ...entry, content }), at)
  }

  #redactPlans(): void {
    for (const { id, facts } of this.#selectPlans.all()) {
      const plan = JSON.parse(facts) as { script?: unknown }
      this.#updatePlan.run(JSON.stringify({ ...plan, script: this.#parts.redact(plan.script) }), id)
    }
  }
}
