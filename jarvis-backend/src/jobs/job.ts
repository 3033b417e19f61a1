import type { Job, JobSlot, JobWork, Principal } from 'protocol'

/**
 * A job as it is kept. `anchor`: from which intervals are counted; `cursor`: instants up to it were looked at; both Unix ms.
 * `toldAt`: when it was last told that the day's budget is used. `changedBy`: the people who last changed its work, and when it runs. `guest`:
 * which guest was meant by the number in its work, where that was known.
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

/** A slot as it is kept. `isQueued`: it waits for the run before, and has not begun. */
export type StoredSlot = JobSlot & { isQueued?: true }

/** Keeps jobs and their slots. A slot is unique by job and instant. */
export interface JobStore {
  list(): StoredJob[]
  get(id: string): StoredJob | undefined
  /** Adds it, or puts it in place of the one with its id. */
  save(job: StoredJob): void
  /** With its slots. @returns false where there is none */
  remove(id: string): boolean
  /** @returns false where the slot is there already: it never begins twice, and nothing is written */
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

/** How a run stands. `tokens`: all that its turns read and wrote. */
export type Standing =
  | { state: 'running' | 'waiting' }
  | { state: 'done' | 'failed' | 'unknown'; summary: string; tokens?: number; costUsd?: number }

/** `isForeign`: what it says is nobody's words, as a finding of a check. `writtenBy`: who last wrote the text that it follows, where that is known. */
type WorkOf = { isForeign?: true; writtenBy?: string }

/** The way in which the scheduler starts and follows runs. */
export type JobRuns = {
  /** @throws JarvisError; nothing was started then */
  start(run: {
    job: Pick<StoredJob, 'id' | 'name' | 'by' | 'askedBy'>
    slot: number
    /** The persons who caused the run, in addition to the person in whose name it asks. */
    causedBy: readonly string[]
    work: Extract<JobWork, { kind: 'prompt' | 'call' }> & WorkOf
    link(ids: { sessionId: string; runId: string }): void
  }): void
  /** Tells how it stands whenever that changes, and its end once. */
  follow(run: { sessionId: string; runId: string }, tell: (standing: Standing) => void): void
  /** Undefined where there is no such run. */
  standing(run: { sessionId: string; runId: string }): Standing | undefined
  stop(sessionId: string, by: string): void
  remove(sessionId: string): void
}

/** The gate's view of a job's calls. */
export type JobCalls = {
  /** Returns true if the call's effects now change nothing. */
  isReading(call: { toolName: string; toolInput: Record<string, unknown> }): boolean
  /** The reason why the call would be refused, whoever approves it; undefined if it would not. */
  refusal(call: { toolName: string; toolInput: Record<string, unknown> }, asker: Principal): string | undefined
}

/** A kind of work that is not a run alone. */
export type Worker = {
  /** Returns true if the work changes nothing. */
  isReading(work: JobWork): boolean
  /** The reason why the work cannot be a job here; undefined if it can. */
  refusal?(work: JobWork): string | undefined
  /** Begins the work. @param overBudget the reason why no model may be called today @returns how the work ended, or the run that it becomes */
  begin(
    job: StoredJob,
    slot: StoredSlot,
    overBudget: string | undefined,
  ): Promise<{ state: 'done' | 'failed' | 'skipped'; summary: string } | Pick<Parameters<JobRuns['start']>[0], 'work'>>
  /** Told of each slot that has ended. */
  ended?(slot: StoredSlot): void
}
