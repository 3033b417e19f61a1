import { type Due, dueOf } from './due.ts'
import type { StoredJob, StoredSlot } from './job.ts'
import { hasEnded, SlotRuns, type SlotRunsParts } from './slot-runs.ts'
import { timesOf } from './times.ts'

/** The longest pause between two looks at the clock, ms. A single `setTimeout` is late after the machine slept, and wrong for more than 24 days. */
const lookEveryMs = 60_000

/** Finds the slots that have come. Claims each slot on disk before its run begins. */
export class Scheduler {
  readonly #parts: SlotRunsParts
  readonly #slots: SlotRuns
  #disarm = () => {}
  #isOn = false

  constructor(parts: SlotRunsParts) {
    this.#parts = parts
    this.#slots = new SlotRuns(parts)
  }

  /** Records the outcome of slots that the last process left, and begins to look for new ones. */
  start(): void {
    this.#isOn = true
    this.#resume()
    this.look()
  }

  /** Stops looking for slots. `start` begins again. */
  stop(): void {
    this.#isOn = false
    this.#disarm()
  }

  /** Examines all jobs now, and sets a timer for the next slot. */
  look(): void {
    const { store, clock, isStopping, report } = this.#parts
    if (!this.#isOn || isStopping()) return
    this.#disarm()
    let next = clock.now() + lookEveryMs
    for (const { id } of store.list()) {
      try {
        const job = store.get(id)
        if (job?.state !== 'active') continue
        const claimed = this.#take(job)
        if (claimed !== undefined) this.#slots.begin(job, claimed)
        next = Math.min(next, timesOf(job.schedule, job.anchor).next(clock.now(), 1)[0] ?? next)
      } catch (error) {
        report(error, `job ${id} could not be looked at`)
      }
    }
    this.#disarm = clock.after(Math.max(1, next - clock.now()), () => this.look())
  }

  /** Begins a job now. @returns the slot that has begun; or the reason why the job cannot begin */
  runNow(job: StoredJob, startedBy: string): { refused: string } | { slot: number } {
    const { store, clock, switches, transactions } = this.#parts
    const stopped = switches.stopped()
    const refused =
      stopped !== undefined
        ? `All jobs were stopped by ${stopped.by}.`
        : (this.#slots.busyWith(job.id) ?? this.#overBudget(job))
    if (refused !== undefined) return { refused }
    let slot = clock.now()
    const claimed = { jobId: job.id, state: 'claimed', isByHand: true, startedBy } as const
    while (!transactions.durably(() => store.claim({ ...claimed, slot }))) slot += 1
    this.#slots.begin(job, { ...claimed, slot })
    return { slot }
  }

  /** Records the slots that have come. @returns the slot that begins now */
  #take(job: StoredJob): StoredSlot | undefined {
    const { store, clock, kinds, switches, budget, teller } = this.#parts
    const now = clock.now()
    // If the clock was far ahead, the stored anchor may be in the future, and the job would not run until then.
    const times = timesOf(job.schedule, Math.min(job.anchor, now))
    const due = dueOf({
      jobId: job.id,
      times,
      cursor: job.cursor,
      now,
      isChanging: !kinds.isReading(job.work),
      stopped: switches.stopped(),
      busy: this.#slots.busyWith(job.id),
      hasQueued: store.open(job.id).some(({ isQueued }) => isQueued),
      overBudget: this.#overBudget(job),
    })
    const isOver = times.next(now, 1).length === 0
    if (due.rows.length === 0 && due.claim === undefined && now >= job.cursor && !isOver) return undefined
    const claimed = this.#write(job, due, { now, isOver })
    const isOverBudget = due.rows.some(({ summary }) => summary !== undefined && summary === budget.usedUp(job.id))
    if (isOverBudget) this.#slots.tellBudget(job.id)
    teller.changed()
    return claimed?.isQueued ? undefined : claimed
  }

  /**
   * Stores the outcome of the slots. @param at `isOver`: the job's schedule has no later time @returns the claimed slot; undefined if no slot is
   * claimed, or the slot had a row already
   */
  #write(job: StoredJob, due: Due, { now, isOver }: { now: number; isOver: boolean }): StoredSlot | undefined {
    const { store, transactions } = this.#parts
    return transactions.durably(() => {
      for (const row of due.rows) store.claim({ ...row, endedAt: now })
      const claim = due.claim !== undefined && store.claim(due.claim) ? due.claim : undefined
      store.save({
        ...job,
        anchor: Math.min(job.anchor, now),
        cursor: due.cursor,
        ...(isOver && { state: 'ended' as const }),
      })
      return claim
    })
  }

  /** The reason why the job's budget allows no run. A heartbeat's checks cost nothing, so a heartbeat is never held back. */
  #overBudget({ id, work }: StoredJob): string | undefined {
    return work.kind === 'heartbeat' ? undefined : this.#parts.budget.usedUp(id)
  }

  /** Ends or follows the slots that the last process left. No slot begins a second time. */
  #resume(): void {
    const { store, runs } = this.#parts
    for (const slot of store.open()) {
      const { sessionId, runId } = slot
      const run = sessionId === undefined || runId === undefined ? undefined : { sessionId, runId }
      const standing = run && runs.standing(run)
      if (slot.isQueued) this.#slots.settle(slot, { state: 'missed', summary: 'JARVIS was stopped while it waited.' })
      else if (standing === undefined) this.#slots.settle(slot, lost)
      else if (hasEnded(standing)) this.#slots.settle(slot, standing)
      else if (run !== undefined) this.#slots.follow(slot, run)
    }
  }
}

const lost = {
  state: 'unknown',
  summary: 'JARVIS was stopped as it began. It may have begun, and is not begun again.',
} as const
