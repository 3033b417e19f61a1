import { firstOwnerId, type Job, type JobSlot, type JobTrace, type JobWork, type Principal, personFor } from 'protocol'

/**
 * A job as it is stored. `anchor`: the instant from which intervals are counted. `cursor`: slots up to this instant were examined. `toldAt`: the
 * time of the last notice that the day's budget is used. All three are Unix ms. `changedBy`: the people who last changed the job's work and its
 * schedule. `guest`: the identity of the guest that the job's vmid meant, if it was known.
 */
export type StoredJob = Pick<
  Job,
  | 'id'
  | 'name'
  | 'work'
  | 'schedule'
  | 'budget'
  | 'state'
  | 'paused'
  | 'by'
  | 'askedBy'
  | 'createdAt'
  | 'isShipped'
  | 'failures'
> & {
  anchor: number
  cursor: number
  toldAt?: number
  changedBy?: { work?: string; schedule?: string }
  guest?: { id: string }
}

/** A job that comes with JARVIS. It can be paused and changed, not deleted. */
export type Shipped = Pick<StoredJob, 'id' | 'name' | 'work' | 'schedule' | 'budget'>

/** The maker of a job. `askedBy`: the principal, a model or a client, whose call `by` approved. */
export type Maker = { by: string; askedBy?: Principal | undefined }

/** The person in whose name a job asks: the asker, who may have fewer rights than the person who approved the job. Absent: the first owner. */
export const personOfJob = ({ by, askedBy }: Maker): { person?: string } =>
  askedBy === undefined ? personFor(by) : personFor(askedBy.person ?? firstOwnerId)

/** A slot as it is stored. `isQueued`: the slot has not begun, and waits for the previous run. */
export type StoredSlot = JobSlot & { isQueued?: true }

/** Stores jobs and their slots. A job has at most one slot for each instant. */
export interface JobStore {
  list(): StoredJob[]
  get(id: string): StoredJob | undefined
  /** Adds a job, or replaces the job with its id. */
  save(job: StoredJob): void
  /** Removes a job with its slots. @returns false if there is no such job */
  remove(id: string): boolean
  /** Adds a slot. @returns false if there is such a slot already; nothing is then written, so that no slot begins twice */
  claim(slot: StoredSlot): boolean
  update(slot: StoredSlot): void
  slot(jobId: string, slot: number): StoredSlot | undefined
  /** Slots that have not ended, oldest first; of all jobs if no job is given. */
  open(jobId?: string): StoredSlot[]
  /** A job's slots, newest first. */
  slots(jobId: string, query: { before?: number; limit: number }): StoredSlot[]
  /** Removes ended slots except the newest `keep`. @returns the sessions of the removed slots */
  prune(jobId: string, keep: number): string[]
}

/** The state of a run. `tokens`: the sum of the tokens that its turns read and wrote. */
export type Standing =
  | { state: 'running' | 'waiting' }
  | { state: 'done' | 'failed' | 'unknown'; summary: string; tokens?: number; costUsd?: number }

/**
 * The work of one run. `isForeign`: the text comes from no person or client that may ask; it is, for example, a finding of a check. `writtenBy`: the
 * last writer of the text that the run follows, if it is known.
 */
export type RunWork = Extract<JobWork, { kind: 'prompt' | 'call' }> & { isForeign?: true; writtenBy?: string }

export type RunIds = { sessionId: string; runId: string }

/** Starts and follows the runs of jobs. */
export interface JobRuns {
  /** Starts a run. @throws JarvisError; no run was started then */
  start(run: {
    job: Pick<StoredJob, 'id' | 'name' | 'by' | 'askedBy'>
    slot: number
    /** The people who caused the run, in addition to the person in whose name it asks. */
    causedBy: readonly string[]
    work: RunWork
    link(ids: RunIds): void
  }): void
  /** Calls `tell` with the state of a run after each change, and once with its end. */
  follow(run: RunIds, tell: (standing: Standing) => void): void
  /** The state of a run; undefined if there is no such run. */
  standing(run: RunIds): Standing | undefined
  stop(sessionId: string, by: string): void
  remove(sessionId: string): void
}

/** The gate's judgement of a job's calls. */
export interface JobCalls {
  /** Returns true if the call's effects, as they are now, change nothing. */
  isReading(call: { toolName: string; toolInput: Record<string, unknown> }): boolean
  /** The reason why the call would be refused even if a person approved it; undefined if it would not be. */
  refusal(call: { toolName: string; toolInput: Record<string, unknown> }, asker: Principal): string | undefined
}

/** The guests that jobs name by vmid. */
export interface JobGuests {
  /** The guest that a job's work names; undefined if the work names none, or the guest is not known. */
  of(work: JobWork): { id: string } | undefined
  /** The reason why the vmid no longer belongs to the guest that the job meant; undefined if it does, or the job meant no guest. */
  problem(job: StoredJob): string | undefined
}

/** Checks the askers of jobs. */
export interface JobMakers {
  /** The reason why a job's asker may not ask any more; undefined if the asker may. */
  problem(job: StoredJob): string | undefined
}

/** The budgets of jobs for models. */
export interface JobBudget {
  /** The reason why no model may be called for the job any more today; undefined if one may. */
  usedUp(jobId: string): string | undefined
}

/** The grants that people give to a drill job. */
export interface DrillApprovals {
  /** The time when the job's grants end, Unix ms; undefined if each drill asks. */
  approvedUntil(job: StoredJob): number | undefined
  /** Grants the drills of a job, so that they need no confirmation. @throws JarvisError `invalid_request` */
  approve(job: StoredJob, by: string): void
  /** Revokes the grants of a job. */
  withdraw(job: StoredJob, by: string): void
}

/** Reads the records of the jobs' runs. */
export interface JobTraces {
  /** A slot, with each call of its run, the call's entry in the journal, and the model's last text. */
  of(slot: JobSlot): JobTrace
}

/** Reports jobs to people. */
export interface JobTeller {
  /** Announces a sentence. @param words the session whose text the sentence quotes, and another sentence for people who may not open that session */
  announce(text: string, level: 'info' | 'warning', words?: { sessionId: string; facts: string }): void
  /** Called once for each slot that ended. */
  ended(job: StoredJob, slot: StoredSlot): void
  /** Called after each change of a job or slot. */
  changed(): void
}

/** Runs a kind of work that needs more than starting one run. */
export interface Worker {
  /** Returns true if the work changes nothing. */
  isReading(work: JobWork): boolean
  /** Returns the reason why the work cannot be a job here; undefined if it can. */
  refusal?(work: JobWork): string | undefined
  /**
   * Begins the work. @param overBudget the reason why no model may be called today; undefined if one may @returns the result of the work, or the run
   * that it leads to
   */
  begin(job: StoredJob, slot: StoredSlot, overBudget: string | undefined): Promise<Begun>
  /** Called for each slot that has ended. */
  ended?(slot: StoredSlot): void
}

/** The outcome of a worker's `begin`: a result, or the work of a run to start. */
export type Begun = { state: 'done' | 'failed' | 'skipped'; summary: string } | { work: RunWork }
