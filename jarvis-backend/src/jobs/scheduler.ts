import type { Clock } from '../lib/clock.ts'
import { dueOf } from './due.ts'
import type { JobRuns, JobStore, StoredJob, StoredSlot, Worker } from './job.ts'
import { createSlotRuns, hasEnded } from './slot-runs.ts'
import { type SwitchParts, stoppedOf } from './switches.ts'
import { type Times, timesOf } from './times.ts'

/** `setTimeout` is late after the machine slept and wrong beyond 24 days, so wall clocks are compared this often, ms. */
const lookEveryMs = 60_000

export type SchedulerParts = SwitchParts & {
  store: JobStore
  runs: JobRuns
  /** The workers for the kinds of work that are more than one run. */
  workers: Partial<Record<StoredJob['work']['kind'], Worker>>
  isReading(work: StoredJob['work']): boolean
  /** The reason why the asker of the job may not ask any more; undefined if the asker may. */
  makerProblem(job: StoredJob): string | undefined
  /** The reason why the number no longer belongs to the guest that was meant; undefined if it does, or no guest was meant. */
  guestProblem(job: StoredJob): string | undefined
  clock: Clock
  zone: string
  /** Why its model may not be called any more today; undefined where it may. */
  overBudget(jobId: string): string | undefined
  /** Tokens that its runs have used today. */
  usedToday(jobId: string): number
  isStopping(): boolean
  /** @param words whose words the text holds, and what is said to those whom that conversation is closed to */
  announce(text: string, level: 'info' | 'warning', words?: { sessionId: string; facts: string }): void
  /** Told of each slot that came to its end, once. */
  ended(job: StoredJob, slot: StoredSlot): void
  /** Told after each change of a job or slot. */
  changed(): void
  report(error: unknown, message: string): void
}

/** Looks which slots have come, and claims each on disk before anything of it begins. */
export function createScheduler(parts: SchedulerParts) {
  const { store, runs, clock } = parts
  const { busyWith, overBudget, tellBudget, begin, follow, settle } = createSlotRuns(parts)
  let disarm = () => {}
  let isOn = false

  const timesFor = (job: StoredJob): Times => timesOf(job.schedule, job.anchor)

  /** Writes what became of the slots that have come. @returns the one that begins now */
  function take(job: StoredJob): StoredSlot | undefined {
    const now = clock.now()
    // A clock that was far ahead left an anchor in the future, which would keep the job silent until then.
    const times = timesOf(job.schedule, Math.min(job.anchor, now))
    const due = dueOf({
      jobId: job.id,
      times,
      cursor: job.cursor,
      now,
      isChanging: !parts.isReading(job.work),
      stopped: stoppedOf(parts.settings),
      busy: busyWith(job.id),
      hasQueued: store.open(job.id).some(({ isQueued }) => isQueued),
      // The checks of a heartbeat cost nothing.
      overBudget: job.work.kind === 'heartbeat' ? undefined : overBudget(job),
    })
    if (due.rows.length === 0 && due.claim === undefined && now >= job.cursor && times.next(now, 1).length > 0)
      return undefined
    const claimed = parts.transactions.durably(() => {
      for (const row of due.rows) store.claim({ ...row, endedAt: now })
      const claim = due.claim !== undefined && store.claim(due.claim) ? due.claim : undefined
      const isOver = times.next(now, 1).length === 0
      store.save({
        ...job,
        anchor: Math.min(job.anchor, now),
        cursor: due.cursor,
        ...(isOver && { state: 'ended' as const }),
      })
      return claim
    })
    if (due.rows.some(({ summary }) => summary !== undefined && summary === overBudget(job))) tellBudget(job.id)
    parts.changed()
    return claimed?.isQueued ? undefined : claimed
  }

  /** Looks at all jobs now, and again when the next one comes. */
  function look(): void {
    if (!isOn || parts.isStopping()) return
    disarm()
    let next = clock.now() + lookEveryMs
    for (const { id } of store.list()) {
      try {
        const job = store.get(id)
        if (job?.state !== 'active') continue
        const claimed = take(job)
        if (claimed !== undefined) begin(job, claimed)
        next = Math.min(next, timesFor(job).next(clock.now(), 1)[0] ?? next)
      } catch (error) {
        parts.report(error, `job ${id} could not be looked at`)
      }
    }
    disarm = clock.after(Math.max(1, next - clock.now()), look)
  }

  /** Ends or follows the slots that the last process left. None of them begins again. */
  function resume(): void {
    for (const slot of store.open()) {
      const { sessionId, runId } = slot
      const at = sessionId === undefined || runId === undefined ? undefined : { sessionId, runId }
      const standing = at && runs.standing(at)
      if (slot.isQueued) settle(slot, { state: 'missed', summary: 'JARVIS was stopped while it waited.' })
      else if (standing === undefined) settle(slot, lost)
      else if (hasEnded(standing)) settle(slot, standing)
      else if (at !== undefined) follow(slot, at)
    }
  }

  return {
    /** Writes down what the last process left, and begins to look. */
    start() {
      isOn = true
      resume()
      look()
    },
    look,
    /** The next start looks again. */
    stop() {
      isOn = false
      disarm()
    },
    /** @returns why it cannot begin now; undefined where it has begun, under `slot` */
    runNow(job: StoredJob, startedBy: string): { refused: string } | { slot: number } {
      const stopped = stoppedOf(parts.settings)
      const refused =
        stopped !== undefined
          ? `All jobs were stopped by ${stopped.by}.`
          : (busyWith(job.id) ?? (job.work.kind === 'heartbeat' ? undefined : overBudget(job)))
      if (refused !== undefined) return { refused }
      let slot = clock.now()
      const claimed = { jobId: job.id, state: 'claimed', isByHand: true, startedBy } as const
      while (!parts.transactions.durably(() => store.claim({ ...claimed, slot }))) slot += 1
      begin(job, { ...claimed, slot })
      return { slot }
    },
  }
}

const lost = {
  state: 'unknown',
  summary: 'JARVIS was stopped as it began. It may have begun, and is not begun again.',
} as const
