import type { Alert, AlertDetail, AlertHistoryQuery, MaintenanceWindow } from 'protocol'

/** One message about an alert. `isOpen`: the message was being sent. If that is found at a start, nobody knows if it arrived. */
export type Told = Alert['told'][number] & { isOpen?: true }

/** An alert as it is stored. Facts that follow from other alerts, maintenance windows and limits are computed when the alert is shown. */
export type StoredAlert = Omit<
  Alert,
  'hides' | 'near' | 'hiddenBy' | 'silenced' | 'limit' | 'told' | 'acknowledged' | 'flapping'
> & {
  /** Unix ms when the alert was last measured. */
  seenAt: number
  /** The newest value as a number, if it is a number. */
  amount?: number
  isLowBad?: true
  /** Newest values in words, oldest first. */
  values: readonly string[]
  chart?: AlertDetail['chart']
  /** The inputs that the object provides for a runbook. */
  inputs?: Readonly<Record<string, string | number>>
  /** Times at which the alert recently fired or ended, Unix ms. They decide if it flaps. */
  turns: readonly number[]
  /** Set if the alert is open only because it flaps (`flapping`): the last look found the object well. */
  isClear?: true
  flapping?: { until: number; changes: number; since?: number }
  acknowledged?: NonNullable<Alert['acknowledged']> & { severity: Alert['severity']; untilValue?: number }
  /** Without `until`, the silence has no end. */
  silence?: { by: string; until?: number; note: string }
  told: readonly Told[]
  /** A message that is to be sent. `quiet`: the reason why it was not sent yet. */
  due?: { what: 'fired' | 'resolved'; at: number; quiet?: string }
}

/** True if the alert's silence still holds. */
export const isSilent = ({ silence }: Pick<StoredAlert, 'silence'>, now: number): boolean =>
  silence !== undefined && (silence.until ?? Number.POSITIVE_INFINITY) > now

/** Alerts of one fingerprint are about the same thing: at most one of them has not ended. */
export const fingerprintOf = ({ check, object }: { check: string; object: { id: string } }) => `${check} ${object.id}`

export interface AlertStore {
  /** Alerts that have not ended, and ended alerts that still count after `now`. */
  current(now: number): StoredAlert[]
  /** @param countsUntil for an ended alert: the time until which a new alert with the same fingerprint inherits from it, Unix ms */
  save(alert: StoredAlert, countsUntil?: number): void
  /** Deletes an alert that never fired. */
  remove(id: string): void
  get(id: string): StoredAlert | undefined
  /** Ended alerts, newest first. `before`: end and id of the last alert seen. */
  ended(query: Omit<AlertHistoryQuery, 'before'> & { before?: { at: number; id: string } }): StoredAlert[]
  /** The number of alerts that ended since then. */
  countEnded(since: number): number
  /** The alerts of a fingerprint that ended since then. `longestMs`: the longest time from firing to the end. */
  earlier(fingerprint: string, since: number): { count: number; longestMs?: number; lastAt?: number }
  /** Deletes alerts that ended before this time. */
  prune(before: number): void
}

/** The last run of a check. `problem`: the reason why the look did not see everything. */
export type CheckRun = {
  id: string
  isOff?: true
  lastAt?: number
  durationMs?: number
  problem?: string
  /** The check cannot run on this installation. */
  cannotRun?: true
}

export interface CheckStore {
  list(): CheckRun[]
  save(run: CheckRun): void
}

export interface WindowStore {
  /** Windows that end after `now`, in the order of their beginning. */
  list(now: number): MaintenanceWindow[]
  add(window: MaintenanceWindow): void
  /** @returns false if there is no such window */
  remove(id: string): boolean
}
