import type { Spending } from 'protocol'
import type { RunRecord, SpendingStore } from '../../budgets/spending.ts'
import type { Database } from './database.ts'
import { KeptReads } from './kept-reads.ts'

type SumRow = {
  key?: string
  calls: number
  tokens: number
  usd: number
  unpriced: number
  ms: number
  partial: number
}

const sums = `COUNT(*) AS calls, COALESCE(SUM(tokens), 0) AS tokens, COALESCE(SUM(usd), 0.0) AS usd,
  COUNT(*) - COUNT(usd) AS unpriced, COALESCE(SUM(ms), 0) AS ms, COALESCE(SUM(is_partial), 0) AS partial`

const columns = { agent: 'agent', jobId: 'job_id', kind: 'kind' } as const

/** Stores the calls of models, and the budgets of runs. */
export function createSpendingStore(database: Database): SpendingStore {
  const { sql } = database
  const insert = sql.prepare(
    `INSERT INTO spendings (at, kind, model, agent, run_id, job_id, tokens, usd, ms, is_open, is_partial)
     VALUES (@at, @kind, @model, @agent, @runId, @jobId, @tokens, @usd, @ms, @isOpen, @isPartial)`,
  )
  const settle = sql.prepare(
    'UPDATE spendings SET tokens = @tokens, usd = @usd, ms = @ms, is_partial = @isPartial, is_open = 0 WHERE id = @id',
  )
  const grow = sql.prepare('UPDATE spendings SET tokens = @tokens, usd = @usd WHERE id = @id AND is_open = 1')
  const remove = sql.prepare('DELETE FROM spendings WHERE id = ?')
  const closeAll = sql.prepare('UPDATE spendings SET is_open = 0, is_partial = 1 WHERE is_open = 1')
  const ofRun = sql.prepare<[string], SumRow>(`SELECT ${sums} FROM spendings WHERE run_id = ?`)
  // This query reads only the index.
  const ofDay = sql.prepare<[object], SumRow>(
    `SELECT ${sums} FROM spendings WHERE at >= @since AND (@agent IS NULL OR agent = @agent)
       AND (@jobId IS NULL OR job_id = @jobId) AND (@isJob = 0 OR job_id IS NOT NULL)`,
  )
  const by = (column: string) =>
    sql.prepare<[number], SumRow>(
      `SELECT ${column} AS key, ${sums} FROM spendings WHERE at >= ? AND ${column} IS NOT NULL GROUP BY ${column} ORDER BY ${column}`,
    )
  const sumsBy = { agent: by(columns.agent), jobId: by(columns.jobId), kind: by(columns.kind) }
  const unpriced = sql
    .prepare<[number], string>('SELECT DISTINCT model FROM spendings WHERE at >= ? AND usd IS NULL ORDER BY model')
    .pluck()
  const selectRun = sql.prepare<[string], string>('SELECT facts FROM run_budgets WHERE run_id = ?').pluck()
  const selectChildren = sql
    .prepare<[string], string>('SELECT facts FROM run_budgets WHERE parent_id = ? ORDER BY rowid')
    .pluck()
  const upsert = sql.prepare(
    `INSERT INTO run_budgets (run_id, parent_id, facts) VALUES (@runId, @parentId, @facts)
     ON CONFLICT (run_id) DO UPDATE SET facts = @facts`,
  )
  const dropOld = sql.prepare('DELETE FROM spendings WHERE at < ? AND is_open = 0')
  const dropRuns = sql.prepare(
    `DELETE FROM run_budgets WHERE NOT EXISTS (SELECT 1 FROM spendings WHERE spendings.run_id = run_budgets.run_id)
       AND run_id NOT IN (SELECT id FROM runs WHERE status <> 'ended')`,
  )
  const toRun = (facts: string) => JSON.parse(facts) as RunRecord
  const runs = new KeptReads(database, 'run_budgets', (runId) => {
    const facts = selectRun.get(runId)
    return facts === undefined ? undefined : toRun(facts)
  })
  const children = new KeptReads(database, 'run_budgets', (runId) => selectChildren.all(runId).map(toRun))

  return {
    add: ({ runId = null, jobId = null, usd = null, isOpen, isPartial, ...rest }) =>
      Number(
        insert.run({ ...rest, runId, jobId, usd, isOpen: Number(isOpen), isPartial: Number(isPartial) })
          .lastInsertRowid,
      ),
    settle: (id, { usd = null, isPartial, ...used }) =>
      void settle.run({ id, ...used, usd, isPartial: Number(isPartial) }),
    grow: (id, { tokens, usd = null }) => void grow.run({ id, tokens, usd }),
    remove: (id) => void remove.run(id),
    closeAll: () => closeAll.run().changes,
    sum(query) {
      if ('runId' in query) return toSpending(ofRun.get(query.runId))
      const { since = 0, agent = null, jobId = null, isJob = false } = query
      return toSpending(ofDay.get({ since, agent, jobId, isJob: Number(isJob) }))
    },
    sumsBy: (field, since) => sumsBy[field].all(since).map((row) => ({ key: row.key ?? '', spent: toSpending(row) })),
    unpricedSince: (since) => unpriced.all(since),
    run: (runId) => runs.get(runId),
    saveRun: (run) => void upsert.run({ runId: run.runId, parentId: run.parentId ?? null, facts: JSON.stringify(run) }),
    childrenOf: (runId) => children.get(runId),
    prune(before) {
      dropOld.run(before)
      dropRuns.run()
    },
  }
}

const toSpending = (row: SumRow | undefined): Spending => {
  const { calls = 0, tokens = 0, usd = 0, unpriced = 0, ms = 0, partial = 0 } = row ?? {}
  return { calls, tokens, usd, unpriced, minutes: ms / 60_000, ...(partial > 0 && { isPartial: true as const }) }
}
