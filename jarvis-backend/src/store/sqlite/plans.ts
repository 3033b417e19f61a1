import type { PlanStore, StoredPlan } from '../../calls/plans/plan.ts'
import type { Database } from './database.ts'

const read = (facts: string) => JSON.parse(facts) as StoredPlan

export function createPlanStore({ sql }: Database): PlanStore {
  const insert = sql.prepare(
    'INSERT INTO plans (id, run_id, runbook, started_at, facts) VALUES (@id, @runId, @runbook, @startedAt, @facts)',
  )
  const update = sql.prepare('UPDATE plans SET ended_at = @endedAt, facts = @facts WHERE id = @id')
  const selectOne = sql.prepare<[string], string>('SELECT facts FROM plans WHERE id = ?').pluck()
  const selectOfRun = sql.prepare<[string], string>('SELECT facts FROM plans WHERE run_id = ?').pluck()
  const selectList = sql
    .prepare<{ limit: number; before: number; runbook: string | null }, string>(
      `SELECT facts FROM plans WHERE started_at < @before AND (@runbook IS NULL OR runbook = @runbook)
       ORDER BY started_at DESC, id DESC LIMIT @limit`,
    )
    .pluck()
  const forget = sql.prepare('DELETE FROM plans WHERE ended_at < ?')
  const one = (facts: string | undefined) => (facts === undefined ? undefined : read(facts))

  return {
    add(plan) {
      const { id, runId, startedAt, facts } = plan
      insert.run({ id, runId, startedAt, runbook: facts.runbook ?? null, facts: JSON.stringify(plan) })
    },
    get: (id) => one(selectOne.get(id)),
    ofRun: (runId) => one(selectOfRun.get(runId)),
    save(plan) {
      update.run({ id: plan.id, endedAt: plan.endedAt ?? null, facts: JSON.stringify(plan) })
    },
    list: ({ limit, before = Number.MAX_SAFE_INTEGER, runbook = null }) =>
      selectList.all({ limit, before, runbook }).map(read),
    prune: (before) => void forget.run(before),
  }
}
