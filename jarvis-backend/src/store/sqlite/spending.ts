import type { Spending } from 'protocol'
import type { RunRecord, Spend, SpendingStore, SpendQuery } from '../../budgets/spending.ts'
import type { Database } from './database.ts'
import { KeptReads } from './kept-reads.ts'
import { SqliteStore } from './sqlite-store.ts'

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

const toRun = (facts: string) => JSON.parse(facts) as RunRecord

/** Stores the calls of models, and the budgets of runs. */
export class SqliteSpendingStore extends SqliteStore implements SpendingStore {
  readonly #insert = this.sql.prepare(
    `INSERT INTO spendings (at, kind, model, agent, run_id, job_id, tokens, usd, ms, is_open, is_partial)
     VALUES (@at, @kind, @model, @agent, @runId, @jobId, @tokens, @usd, @ms, @isOpen, @isPartial)`,
  )
  readonly #settle = this.sql.prepare(
    'UPDATE spendings SET tokens = @tokens, usd = @usd, ms = @ms, is_partial = @isPartial, is_open = 0 WHERE id = @id',
  )
  readonly #grow = this.sql.prepare('UPDATE spendings SET tokens = @tokens, usd = @usd WHERE id = @id AND is_open = 1')
  readonly #remove = this.sql.prepare('DELETE FROM spendings WHERE id = ?')
  readonly #closeAll = this.sql.prepare('UPDATE spendings SET is_open = 0, is_partial = 1 WHERE is_open = 1')
  readonly #ofRun = this.sql.prepare<[string], SumRow>(`SELECT ${sums} FROM spendings WHERE run_id = ?`)
  // This query reads only the index.
  readonly #ofDay = this.sql.prepare<[object], SumRow>(
    `SELECT ${sums} FROM spendings WHERE at >= @since AND (@agent IS NULL OR agent = @agent)
       AND (@jobId IS NULL OR job_id = @jobId) AND (@isJob = 0 OR job_id IS NOT NULL)`,
  )
  readonly #sumsBy = { agent: this.#by(columns.agent), jobId: this.#by(columns.jobId), kind: this.#by(columns.kind) }
  readonly #unpriced = this.sql
    .prepare<[number], string>('SELECT DISTINCT model FROM spendings WHERE at >= ? AND usd IS NULL ORDER BY model')
    .pluck()
  readonly #selectRun = this.sql.prepare<[string], string>('SELECT facts FROM run_budgets WHERE run_id = ?').pluck()
  readonly #selectChildren = this.sql
    .prepare<[string], string>('SELECT facts FROM run_budgets WHERE parent_id = ? ORDER BY rowid')
    .pluck()
  readonly #upsert = this.sql.prepare(
    `INSERT INTO run_budgets (run_id, parent_id, facts) VALUES (@runId, @parentId, @facts)
     ON CONFLICT (run_id) DO UPDATE SET facts = @facts`,
  )
  readonly #dropOld = this.sql.prepare('DELETE FROM spendings WHERE at < ? AND is_open = 0')
  readonly #dropRuns = this.sql.prepare(
    `DELETE FROM run_budgets WHERE NOT EXISTS (SELECT 1 FROM spendings WHERE spendings.run_id = run_budgets.run_id)
       AND run_id NOT IN (SELECT id FROM runs WHERE status <> 'ended')`,
  )
  readonly #runs: KeptReads<RunRecord | undefined>
  readonly #children: KeptReads<RunRecord[]>

  constructor(database: Database) {
    super(database)
    this.#runs = new KeptReads(database, 'run_budgets', (runId) => {
      const facts = this.#selectRun.get(runId)
      return facts === undefined ? undefined : toRun(facts)
    })
    this.#children = new KeptReads(database, 'run_budgets', (runId) => this.#selectChildren.all(runId).map(toRun))
  }

  add({ runId, jobId, usd, isOpen, isPartial, ...rest }: Spend): number {
    const row = {
      ...rest,
      runId: runId ?? null,
      jobId: jobId ?? null,
      usd: usd ?? null,
      isOpen: Number(isOpen),
      isPartial: Number(isPartial),
    }
    return Number(this.#insert.run(row).lastInsertRowid)
  }

  settle(id: number, { usd, isPartial, ...used }: Pick<Spend, 'tokens' | 'usd' | 'ms' | 'isPartial'>): void {
    this.#settle.run({ id, ...used, usd: usd ?? null, isPartial: Number(isPartial) })
  }

  grow(id: number, { tokens, usd }: Pick<Spend, 'tokens' | 'usd'>): void {
    this.#grow.run({ id, tokens, usd: usd ?? null })
  }

  remove(id: number): void {
    this.#remove.run(id)
  }

  closeAll(): number {
    return this.#closeAll.run().changes
  }

  sum(query: SpendQuery): Spending {
    if ('runId' in query) return toSpending(this.#ofRun.get(query.runId))
    const { since = 0, agent = null, jobId = null, isJob = false } = query
    return toSpending(this.#ofDay.get({ since, agent, jobId, isJob: Number(isJob) }))
  }

  sumsBy(field: 'agent' | 'jobId' | 'kind', since: number): { key: string; spent: Spending }[] {
    return this.#sumsBy[field].all(since).map((row) => ({ key: row.key ?? '', spent: toSpending(row) }))
  }

  unpricedSince(since: number): string[] {
    return this.#unpriced.all(since)
  }

  run(runId: string): RunRecord | undefined {
    return this.#runs.get(runId)
  }

  saveRun(run: RunRecord): void {
    this.#upsert.run({ runId: run.runId, parentId: run.parentId ?? null, facts: JSON.stringify(run) })
  }

  childrenOf(runId: string): RunRecord[] {
    return this.#children.get(runId)
  }

  prune(before: number): void {
    this.#dropOld.run(before)
    this.#dropRuns.run()
  }

  #by(column: string) {
    return this.sql.prepare<[number], SumRow>(
      `SELECT ${column} AS key, ${sums} FROM spendings WHERE at >= ? AND ${column} IS NOT NULL GROUP BY ${column} ORDER BY ${column}`,
    )
  }
}

const toSpending = (row: SumRow | undefined): Spending => {
  const { calls = 0, tokens = 0, usd = 0, unpriced = 0, ms = 0, partial = 0 } = row ?? {}
  return { calls, tokens, usd, unpriced, minutes: ms / 60_000, ...(partial > 0 && { isPartial: true as const }) }
}
