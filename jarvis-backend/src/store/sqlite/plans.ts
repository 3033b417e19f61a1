import type { PlanStore, StoredPlan } from '../../calls/plans/plan.ts'
import { SqliteStore } from './sqlite-store.ts'

const read = (facts: string) => JSON.parse(facts) as StoredPlan

const one = (facts: string | undefined) => (facts === undefined ? undefined : read(facts))

export class SqlitePlanStore extends SqliteStore implements PlanStore {
  readonly #insert = this.sql.prepare(
    'INSERT INTO plans (id, run_id, runbook, started_at, facts) VALUES (@id, @runId, @runbook, @startedAt, @facts)',
  )
  readonly #update = this.sql.prepare('UPDATE plans SET ended_at = @endedAt, facts = @facts WHERE id = @id')
  readonly #selectOne = this.sql.prepare<[string], string>('SELECT facts FROM plans WHERE id = ?').pluck()
  readonly #selectOfRun = this.sql.prepare<[string], string>('SELECT facts FROM plans WHERE run_id = ?').pluck()
  readonly #selectList = this.sql
    .prepare<{ limit: number; before: number; runbook: string | null }, string>(
      `SELECT facts FROM plans WHERE started_at < @before AND (@runbook IS NULL OR runbook = @runbook)
       ORDER BY started_at DESC, id DESC LIMIT @limit`,
    )
    .pluck()
  readonly #forget = this.sql.prepare('DELETE FROM plans WHERE ended_at < ?')

  add(plan: StoredPlan): void {
    const { id, runId, startedAt, facts } = plan
    this.#insert.run({ id, runId, startedAt, runbook: facts.runbook ?? null, facts: JSON.stringify(plan) })
  }

  get(id: string): StoredPlan | undefined {
    return one(this.#selectOne.get(id))
  }

  ofRun(runId: string): StoredPlan | undefined {
    return one(this.#selectOfRun.get(runId))
  }

  save(plan: StoredPlan): void {
    this.#update.run({ id: plan.id, endedAt: plan.endedAt ?? null, facts: JSON.stringify(plan) })
  }

  list({
    limit,
    before = Number.MAX_SAFE_INTEGER,
    runbook,
  }: {
    limit: number
    before?: number
    runbook?: string
  }): StoredPlan[] {
    return this.#selectList.all({ limit, before, runbook: runbook ?? null }).map(read)
  }

  prune(before: number): void {
    this.#forget.run(before)
  }
}
