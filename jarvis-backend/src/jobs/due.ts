import type { StoredSlot } from './job.ts'
import type { Times } from './times.ts'

/**
 * The delay up to which a slot is on time, ms. JARVIS looks for slots at least once a minute, so a larger delay means that the process was off or
 * the machine slept.
 */
export const onTimeMs = 90_000
/** Time after a slot's instant within which a missed slot is caught up, ms. Only slots of jobs that change nothing are caught up. */
export const graceMs = 60 * 60_000
/** The most missed slots that get a row each. The oldest of these rows mentions the earlier ones. */
const mostRows = 100
/** After a longer gap, one row stands for all missed slots, ms. The clock may have jumped, and nobody needs a row for each slot. */
const longGapMs = 30 * 24 * 60 * 60_000

/** The state of a job when its slots are examined. */
export type Looked = {
  jobId: string
  times: Times
  /** Slots up to this instant were examined before, Unix ms. */
  cursor: number
  now: number
  /** The job may change something. */
  isChanging: boolean
  /** Set if a person stopped all jobs. */
  stopped: { by: string; at: number } | undefined
  /** The reason why no run may begin while the previous one is going on; undefined if none is going on. */
  busy: string | undefined
  /** A slot already waits for the previous run to end. */
  hasQueued: boolean
  /** The reason why the day's budget allows no further run; undefined if it allows one. */
  overBudget: string | undefined
}

/** The result of examining a job's slots. `rows`: slots that end without a run. `claim`: the slot that begins, or waits for the previous run. */
export type Due = { rows: StoredSlot[]; claim?: StoredSlot; cursor: number }

const slept = 'JARVIS was not running then, or slept.'

/**
 * Decides about the slots that have come since the last look: each one is started, queued, missed or skipped. Pure.
 * A job that may change something never starts late, because the night's reboot must not happen at noon. A job that only reads is caught up once,
 * within an hour.
 */
export function dueOf(looked: Looked): Due {
  const { jobId, times, now, isChanging, stopped, busy } = looked
  // If the clock was set back, the same instants are examined again. A slot that already has a row keeps it.
  const cursor = Math.min(looked.cursor, now)
  const { slots, hasEarlier } = times.newest(cursor, now, mostRows)
  const last = slots.at(-1)
  if (last === undefined) return { rows: [], cursor: now }
  const over = (slot: number, state: 'missed' | 'skipped', summary: string): StoredSlot => ({
    jobId,
    slot,
    state,
    summary,
  })
  const isStopped = (slot: number) => stopped !== undefined && stopped.at <= slot
  const rows = slots.slice(0, -1).map((slot, index) => {
    const earlier = index === 0 && hasEarlier ? ' Those before it were missed too.' : ''
    return isStopped(slot) ? stoppedRow(slot) : over(slot, 'missed', `${slept}${earlier}`)
  })
  function stoppedRow(slot: number) {
    return over(slot, 'skipped', `All jobs were stopped by ${stopped?.by}.`)
  }

  const isLate = now - last > onTimeMs
  const also = hasEarlier && slots.length === 1 ? ' Those before it were missed too.' : ''
  const outcome = (): Omit<Due, 'rows' | 'cursor'> & { row?: StoredSlot } => {
    if (stopped !== undefined) return { row: stoppedRow(last) }
    if (isLate && isChanging)
      return { row: over(last, 'missed', `${slept} Not caught up: it may change something.${also}`) }
    if (now - last > graceMs)
      return { row: over(last, 'missed', `${slept} Not caught up: that is more than an hour ago.${also}`) }
    if (looked.overBudget !== undefined) return { row: over(last, 'skipped', looked.overBudget) }
    const claim: StoredSlot = { jobId, slot: last, state: 'claimed', ...(isLate && { caughtUpAt: now }) }
    if (busy === undefined) return { claim }
    // A change does not wait for the previous run, because it would then run late.
    return isChanging || looked.hasQueued
      ? { row: over(last, 'skipped', busy) }
      : { claim: { ...claim, isQueued: true, summary: 'It waits for the run before it.' } }
  }
  const { row, claim } = outcome()
  if (now - cursor > longGapMs && (rows.length > 0 || hasEarlier)) {
    // The row gets the first of its instants, so that a clock that jumped ahead leaves no row at a future time.
    const [slot = last] = times.next(cursor, 1)
    const all = `${row?.summary ?? slept} This row tells of all its times until ${new Date(last).toISOString()}.`
    return {
      rows: [over(slot, row?.state === 'skipped' ? 'skipped' : 'missed', all)],
      claim,
      cursor: now,
    }
  }
  return { rows: row === undefined ? rows : [...rows, row], claim, cursor: now }
}
