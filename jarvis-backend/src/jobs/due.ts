import type { StoredSlot } from './job.ts'
import type { Times } from './times.ts'

/** JARVIS wakes at most a minute apart: a slot that is found later than this was slept over. */
export const onTimeMs = 90_000
/** Time after its instant within which a slot that only reads is caught up, ms. */
export const graceMs = 60 * 60_000
/** The most missed slots that get a row each. The oldest row tells of the earlier slots. */
const mostRows = 100
/** A longer gap gets one row for all slots that it missed: the clock jumped, or nobody needs a row for each slot, ms. */
const longGapMs = 30 * 24 * 60 * 60_000

/** A job when its slots are looked at. */
export type Looked = {
  jobId: string
  times: Times
  /** Instants up to this were looked at before. */
  cursor: number
  now: number
  /** The job may change something. */
  isChanging: boolean
  /** The switch over all jobs. */
  stopped: { by: string; at: number } | undefined
  /** The reason why nothing may begin beside the run before; undefined if none goes on. */
  busy: string | undefined
  /** A slot waits already for the run before. */
  hasQueued: boolean
  /** The reason why the day's budget allows no more; undefined if it does. */
  overBudget: string | undefined
}

/** `rows`: slots that are over before they began. `claim`: the slot that begins, or waits for the run before. */
export type Due = { rows: StoredSlot[]; claim?: StoredSlot; cursor: number }

const slept = 'JARVIS was not running then, or slept.'

/**
 * Decides the slots that have come since the last look: each one is fired, queued, missed or skipped. Pure.
 * A change is never begun late, because a reboot at noon must not do the night's work; a read is, once, within an hour.
 */
export function dueOf(looked: Looked): Due {
  const { jobId, times, now, isChanging, stopped, busy } = looked
  // A clock that was set back looks at its instants again: those that have a row keep it.
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
    // A change that waits would be a change that comes late.
    return isChanging || looked.hasQueued
      ? { row: over(last, 'skipped', busy) }
      : { claim: { ...claim, isQueued: true, summary: 'It waits for the run before it.' } }
  }
  const { row, claim } = outcome()
  if (now - cursor > longGapMs && (rows.length > 0 || hasEarlier)) {
    // Its instant is the first, so that a clock that leapt leaves no row of a time that has not come.
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
