import type { Content } from 'protocol'
import type { Database } from '../database.ts'
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

/**
 * Redacts the arguments that earlier releases stored unredacted, in slices; after a restart it continues. At the end the database file is rewritten,
 * because pages that SQLite has split keep parts of their old content.
 */
export function createInputsRedaction(
  { sql, atomically }: Pick<Database, 'sql' | 'atomically'>,
  parts: {
    held: Pick<HeldInputs, 'hold'>
    redact<T>(value: T): T
    /** Calls `run` after `ms`, unless the server shuts down first. */
    later(ms: number, run: () => void): void
    report(error: unknown, message: string): void
  },
) {
  const selectReached = sql.prepare<[string], string>('SELECT value FROM settings WHERE key = ?').pluck()
  const putReached = sql.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)')
  const selectRows = sql.prepare<[number, number], Row>(
    `SELECT entries.rowid AS at, entries.session_id AS sessionId, run_id AS runId, COALESCE(status = 'ended', 1) AS isOver, body
     FROM entries LEFT JOIN runs ON runs.id = run_id WHERE entries.rowid > ? AND type = 'assistant'
     ORDER BY entries.rowid LIMIT ?`,
  )
  const updateBody = sql.prepare('UPDATE entries SET body = ? WHERE rowid = ?')
  const selectPlans = sql.prepare<[], { id: string; facts: string }>(
    'SELECT id, facts FROM plans WHERE ended_at IS NOT NULL',
  )
  const updatePlan = sql.prepare('UPDATE plans SET facts = ? WHERE id = ?')

  function redactRow({ at, sessionId, runId, isOver, body }: Row) {
    if (!body.includes('"tool_call"')) return
    const entry = JSON.parse(body) as { content: Content[] }
    const content = parts.held.hold({ sessionId, runId }, entry.content, isOver === 1)
    if (content !== entry.content) updateBody.run(JSON.stringify({ ...entry, content }), at)
  }

  function redactPlans() {
    for (const { id, facts } of selectPlans.all()) {
      const plan = JSON.parse(facts) as { script?: unknown }
      updatePlan.run(JSON.stringify({ ...plan, script: parts.redact(plan.script) }), id)
    }
  }

  /** @returns true if all rows are done */
  function takeSome(from: number, until: number): boolean {
    for (let reached = from; ; ) {
      const rows = selectRows.all(reached, rowsAtOnce)
      for (const row of rows) {
        redactRow(row)
        reached = row.at
        if (performance.now() >= until) break
      }
      const isAll = rows.length < rowsAtOnce && reached === (rows.at(-1)?.at ?? reached)
      if (isAll) redactPlans()
      putReached.run(inputsRedacted, String(reached))
      if (isAll || performance.now() >= until) return isAll
    }
  }

  /** @param forMs time that it may take. @returns true if all rows are done; false also if the disk failed */
  function goOn(forMs: number): boolean {
    const reached = selectReached.get(inputsRedacted) ?? '0'
    if (reached === 'all') return true
    sql.pragma('secure_delete = ON')
    try {
      const isAll = atomically(() => takeSome(Number(reached), performance.now() + forMs))
      if (!isAll) return false
      const pages = Number(sql.pragma('page_count', { simple: true }))
      if (pages * Number(sql.pragma('page_size', { simple: true })) <= rewrittenUpToBytes) sql.exec('VACUUM')
      putReached.run(inputsRedacted, 'all')
      sql.pragma('wal_checkpoint(TRUNCATE)')
      return true
    } finally {
      sql.pragma('secure_delete = OFF')
    }
  }

  function schedule(ms = settleMs) {
    if (selectReached.get(inputsRedacted) === 'all') return
    parts.later(ms, () => {
      try {
        if (!goOn(sliceMs)) schedule(betweenSlicesMs)
      } catch (error) {
        // Stop here: the next start continues.
        parts.report(error, 'stored arguments could not be redacted')
      }
    })
  }

  return { goOn, schedule: () => schedule() }
}
