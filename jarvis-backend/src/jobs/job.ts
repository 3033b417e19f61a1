import { firstOwnerId, type Job, type JobSlot, type JobTrace, type JobWork, type Principal, personFor } from 'protocol'

/**
 * A job as it is kept. `anchor`: intervals are counted from this instant. `cursor`: instants up to this one were looked at. `toldAt`: the last
 * notice that the day's budget is used. All three are Unix ms. `changedBy`: the people who last changed the job's work and schedule. `guest`:
 * the guest that the number in the job's work meant, if that was known.
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

/** The maker of a job. `askedBy`: the model or client whose call `by` approved. */
export type Maker = { by: string; askedBy?: Principal | undefined }

/** The person in whose name a job asks: its asker, who has fewer rights than the person who approved it. Absent: the first owner. */
export const personOfJob = ({ by, askedBy }: Maker): { person?: string } =>
  askedBy === undefined ? personFor(by) : personFor(askedBy.person ?? firstOwnerId)

/** A slot as it is kept. `isQueued`: it waits for the run before, and has not begun. */
export type StoredSlot = JobSlot & { isQueued?: true }

/** Keeps jobs and their slots. A slot is unique by job and instant. */
export interface JobStore {
  list(): StoredJob[]
  get(id: string): StoredJob | undefined
  /** Adds a job, or replaces the job with its id. */
  save(job: StoredJob): void
  /** Removes a job with its slots. @returns false if there is none */
  remove(id: string): boolean
  /** Adds a slot. @returns false if the slot is there already: a slot never begins twice, and nothing is written */
  claim(slot: StoredSlot): boolean
  update(slot: StoredSlot): void
  slot(jobId: string, slot: number): StoredSlot | undefined
  /** Slots that have not ended, oldest first; of one job, or of all. */
  open(jobId?: string): StoredSlot[]
  /** Newest first. */
  slots(jobId: string, query: { before?: number; limit: number }): StoredSlot[]
  /** Drops ended slots beyond the newest `keep`. @returns their sessions */
  prune(jobId: string, keep: number): string[]
}

/** The state of a run. `tokens`: all that its turns read and wrote. */
export type Standing =
  | { state: 'running' | 'waiting' }
  | { state: 'done' | 'failed' | 'unknown'; summary: string; tokens?: number; costUsd?: number }

/**
 * The work of a run. `isForeign`: its text was written by nobody who may ask, for example the finding of a check. `writtenBy`: the last
 * writer of the text that the run follows, if that is known.
 */
export type RunWork = Extract<JobWork, { kind: 'prompt' | 'call' }> & { isForeign?: true; writtenBy?: string }

/** Names a run and its session. */
export type RunIds = { sessionId: string; runId: string }

/** Starts and follows the runs of jobs. */
export interface JobRuns {
  /** @throws JarvisError; nothing was started then */
  start(run: {
    job: Pick<StoredJob, 'id' | 'name' | 'by' | 'askedBy'>
    slot: number
    /** The persons who caused the run, in addition to the person in whose name it asks. */
    causedBy: readonly string[]
    work: RunWork
    link(ids: RunIds): void
  }): void
  /** Tells the state of a run after each change, and its end once. */
  follow(run: RunIds, tell: (standing: Standing) => void): void
  /** Undefined if there is no such run. */
  standing(run: RunIds): Standing | undefined
  stop(sessionId: string, by: string): void
  remove(sessionId: string): void
}

/** The gate's view of a job's calls. */
export interface JobCalls {
  /** Returns true if the call's effects now change nothing. */
  isReading(call: { toolName: string; toolInput: Record<string, unknown> }): boolean
  /** The reason why the call would be refused, whoever approves it; undefined if it would not. */
  refusal(call: { toolName: string; toolInput: Record<string, unknown> }, asker: Principal): string | undefined
}

/** The guests that the works of jobs name by their numbers. */
export interface JobGuests {
  /** The guest that a work names; undefined if the work names none, or an unknown one. */
  of(work: JobWork): { id: string } | undefined
  /** The reason why the number no longer belongs to the guest that was meant; undefined if it does, or no guest was meant. */
  problem(job: StoredJob): string | undefined
}

/** The askers of jobs. */
export interface JobMakers {
  /** The reason why the asker of the job may not ask any more; undefined if the asker may. */
  problem(job: StoredJob): string | undefined
}

/** The use of models by jobs. */
export interface JobBudget {
  /** The reason why the job's model may not be called any more today; undefined if it may. */
  usedUp(jobId: string): string | undefined
}

/** The approvals that people give the drills of a job beforehand. */
export interface DrillApprovals {
  /** The end of the job's approval, Unix ms; undefined if each drill asks. */
  approvedUntil(job: StoredJob): number | undefined
  /** Allows the drills of a job in place of the cards. @throws JarvisError `invalid_request` */
  approve(job: StoredJob, by: string): void
  /** Ends the approval of a job. */
  withdraw(job: StoredJob, by: string): void
}

/** The records of what runs did. */
export interface JobTraces {
  /** A slot with each call of its run, the journal's entry of the call, and the last words of the model. */
  of(slot: JobSlot): JobTrace
}

/** Tells people of jobs. */
export interface JobTeller {
  /** @param words the session whose words the text holds, and the text for people whom that session is closed to */
  announce(text: string, level: 'info' | 'warning', words?: { sessionId: string; facts: string }): void
  /** Called once for each slot that ended. */
  ended(job: StoredJob, slot: StoredSlot): void
  /** Called after each change of a job or slot. */
  changed(): void
}

/** A kind of work that is more than one run. */
export interface Worker {
  /** Returns true if the work changes nothing. */
  isReading(work: JobWork): boolean
  /** The reason why the work cannot be a job here; undefined if it can. */
  refusal?(work: JobWork): string | undefined
  /** Begins the work. @param overBudget the reason why no model may be called today @returns the end of the work, or the run that it becomes */
  begin(job: StoredJob, slot: StoredSlot, overBudget: string | undefined): Promise<Begun>
  /** Called for each slot that has ended. */
  ended?(slot: StoredSlot): void
}

/** The result of a worker's `begin`. */
export type Begun = { state: 'done' | 'failed' | 'skipped'; summary: string } | { work: RunWork }
