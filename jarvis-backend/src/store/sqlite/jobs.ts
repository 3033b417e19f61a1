import type { JobStore, StoredJob, StoredSlot } from '../../jobs/job.ts'
import { SqliteStore } from './sqlite-store.ts'

const toJob = (facts: string) => JSON.parse(facts) as StoredJob
const toSlot = (facts: string) => JSON.parse(facts) as StoredSlot

const rowOf = (slot: StoredSlot) => ({
  jobId: slot.jobId,
  slot: slot.slot,
  tokens: slot.tokens ?? null,
  facts: JSON.stringify(slot),
  isOpen: ['claimed', 'running', 'waiting'].includes(slot.state) ? 1 : 0,
})

/** Stores the jobs, and each slot of a job once. */
export class SqliteJobStore extends SqliteStore implements JobStore {
  readonly #selectJobs = this.sql.prepare<[], string>('SELECT facts FROM jobs ORDER BY created_at, id').pluck()
  readonly #selectJob = this.sql.prepare<[string], string>('SELECT facts FROM jobs WHERE id = ?').pluck()
  readonly #upsert = this.sql.prepare(
    'INSERT INTO jobs (id, created_at, facts) VALUES (@id, @createdAt, @facts) ON CONFLICT (id) DO UPDATE SET facts = @facts',
  )
  readonly #remove = this.sql.prepare('DELETE FROM jobs WHERE id = ?')
  readonly #insert = this.sql.prepare(
    `INSERT INTO job_slots (job_id, slot, is_open, tokens, facts) VALUES (@jobId, @slot, @isOpen, @tokens, @facts)
     ON CONFLICT (job_id, slot) DO NOTHING`,
  )
  readonly #update = this.sql.prepare(
    'UPDATE job_slots SET is_open = @isOpen, tokens = @tokens, facts = @facts WHERE job_id = @jobId AND slot = @slot',
  )
  readonly #selectSlot = this.sql
    .prepare<[string, number], string>('SELECT facts FROM job_slots WHERE job_id = ? AND slot = ?')
    .pluck()
  readonly #selectOpen = this.sql
    .prepare<[object], string>(
      `SELECT facts FROM job_slots WHERE is_open = 1 AND (@jobId IS NULL OR job_id = @jobId) ORDER BY slot, job_id`,
    )
    .pluck()
  readonly #selectSlots = this.sql
    .prepare<[object], string>(
      'SELECT facts FROM job_slots WHERE job_id = @jobId AND slot < @before ORDER BY slot DESC LIMIT @limit',
    )
    .pluck()
  readonly #dropOld = this.sql
    .prepare<[object], string>(
      `DELETE FROM job_slots WHERE job_id = @jobId AND is_open = 0 AND slot <= (
         SELECT slot FROM job_slots WHERE job_id = @jobId ORDER BY slot DESC LIMIT 1 OFFSET @keep) RETURNING facts`,
    )
    .pluck()

  list(): StoredJob[] {
    return this.#selectJobs.all().map(toJob)
  }

  get(id: string): StoredJob | undefined {
    const facts = this.#selectJob.get(id)
    return facts === undefined ? undefined : toJob(facts)
  }

  save(job: StoredJob): void {
    this.#upsert.run({ id: job.id, createdAt: job.createdAt, facts: JSON.stringify(job) })
  }

  remove(id: string): boolean {
    return this.#remove.run(id).changes > 0
  }

  claim(slot: StoredSlot): boolean {
    return this.#insert.run(rowOf(slot)).changes > 0
  }

  update(slot: StoredSlot): void {
    this.#update.run(rowOf(slot))
  }

  slot(jobId: string, slot: number): StoredSlot | undefined {
    const facts = this.#selectSlot.get(jobId, slot)
    return facts === undefined ? undefined : toSlot(facts)
  }

  open(jobId?: string): StoredSlot[] {
    return this.#selectOpen.all({ jobId: jobId ?? null }).map(toSlot)
  }

  slots(jobId: string, { before, limit }: { before?: number; limit: number }): StoredSlot[] {
    return this.#selectSlots.all({ jobId, before: before ?? Number.MAX_SAFE_INTEGER, limit }).map(toSlot)
  }

  prune(jobId: string, keep: number): string[] {
    return this.#dropOld.all({ jobId, keep }).flatMap((facts) => toSlot(facts).sessionId ?? [])
  }
}
