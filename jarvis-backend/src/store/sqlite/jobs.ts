import type { JobStore, StoredJob, StoredSlot } from '../../jobs/job.ts'
import type { Database } from './database.ts'

const toJob = (facts: string) => JSON.parse(facts) as StoredJob
const toSlot = (facts: string) => JSON.parse(facts) as StoredSlot

/** Stores the jobs, and each slot of a job once. */
export function createJobStore({ sql }: Database): JobStore {
  const selectJobs = sql.prepare<[], string>('SELECT facts FROM jobs ORDER BY created_at, id').pluck()
  const selectJob = sql.prepare<[string], string>('SELECT facts FROM jobs WHERE id = ?').pluck()
  const upsert = sql.prepare(
    'INSERT INTO jobs (id, created_at, facts) VALUES (@id, @createdAt, @facts) ON CONFLICT (id) DO UPDATE SET facts = @facts',
  )
  const remove = sql.prepare('DELETE FROM jobs WHERE id = ?')
  const insert = sql.prepare(
    `INSERT INTO job_slots (job_id, slot, is_open, tokens, facts) VALUES (@jobId, @slot, @isOpen, @tokens, @facts)
     ON CONFLICT (job_id, slot) DO NOTHING`,
  )
  const update = sql.prepare(
    'UPDATE job_slots SET is_open = @isOpen, tokens = @tokens, facts = @facts WHERE job_id = @jobId AND slot = @slot',
  )
  const selectSlot = sql
    .prepare<[string, number], string>('SELECT facts FROM job_slots WHERE job_id = ? AND slot = ?')
    .pluck()
  const selectOpen = sql
    .prepare<[object], string>(
      `SELECT facts FROM job_slots WHERE is_open = 1 AND (@jobId IS NULL OR job_id = @jobId) ORDER BY slot, job_id`,
    )
    .pluck()
  const selectSlots = sql
    .prepare<[object], string>(
      'SELECT facts FROM job_slots WHERE job_id = @jobId AND slot < @before ORDER BY slot DESC LIMIT @limit',
    )
    .pluck()
  const dropOld = sql
    .prepare<[object], string>(
      `DELETE FROM job_slots WHERE job_id = @jobId AND is_open = 0 AND slot <= (
         SELECT slot FROM job_slots WHERE job_id = @jobId ORDER BY slot DESC LIMIT 1 OFFSET @keep) RETURNING facts`,
    )
    .pluck()
  const rowOf = (slot: StoredSlot) => ({
    jobId: slot.jobId,
    slot: slot.slot,
    tokens: slot.tokens ?? null,
    facts: JSON.stringify(slot),
    isOpen: ['claimed', 'running', 'waiting'].includes(slot.state) ? 1 : 0,
  })

  return {
    list: () => selectJobs.all().map(toJob),
    get(id) {
      const facts = selectJob.get(id)
      return facts === undefined ? undefined : toJob(facts)
    },
    save: (job) => void upsert.run({ id: job.id, createdAt: job.createdAt, facts: JSON.stringify(job) }),
    remove: (id) => remove.run(id).changes > 0,
    claim: (slot) => insert.run(rowOf(slot)).changes > 0,
    update: (slot) => void update.run(rowOf(slot)),
    slot(jobId, slot) {
      const facts = selectSlot.get(jobId, slot)
      return facts === undefined ? undefined : toSlot(facts)
    },
    open: (jobId) => selectOpen.all({ jobId: jobId ?? null }).map(toSlot),
    slots: (jobId, { before, limit }) =>
      selectSlots.all({ jobId, before: before ?? Number.MAX_SAFE_INTEGER, limit }).map(toSlot),
    prune: (jobId, keep) => dropOld.all({ jobId, keep }).flatMap((facts) => toSlot(facts).sessionId ?? []),
  }
}
