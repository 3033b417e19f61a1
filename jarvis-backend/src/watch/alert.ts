import type { Alert, AlertDetail, AlertHistoryQuery, MaintenanceWindow } from 'protocol'

/** One message about an alert. `isOpen`: it was being sent; found at a start, whether it arrived is unknown. */
export type Told = Alert['told'][number] & { isOpen?: true }

/** An alert as it is kept. What follows from other alerts, from the windows and from the limits is worked out when it is shown. */
export type StoredAlert = Omit<
  Alert,
  'hides' | 'near' | 'hiddenBy' | 'silenced' | 'limit' | 'told' | 'acknowledged' | 'flapping'
> & {
  /** When it was last measured. */
  seenAt: number
  /** The newest value as a number, where it is one. */
  amount?: number
  isLowBad?: true
  /** Newest values in words, oldest first. */
  values: readonly string[]
  chart?: AlertDetail['chart']
  /** The inputs that the object gives a runbook. */
  inputs?: Readonly<Record<string, string | number>>
  /** Times at which it fired or ended lately, Unix ms; flapping is judged by them. */
  turns: readonly number[]
  /** For `flapping`: the last look found the object well. */
  isClear?: true
  flapping?: { until: number; changes: number; since?: number }
  acknowledged?: NonNullable<Alert['acknowledged']> & { severity: Alert['severity']; untilValue?: number }
  /** Without `until` it has no end. */
  silence?: { by: string; until?: number; note: string }
  told: readonly Told[]
  /** A message that is to be sent. `quiet`: why it has not been. */
  due?: { what: 'fired' | 'resolved'; at: number; quiet?: string }
}

/** Only alerts with a silence that holds. */
export const isSilent = ({ silence }: Pick<StoredAlert, 'silence'>, now: number): boolean =>
  silence !== undefined && (silence.until ?? Number.POSITIVE_INFINITY) > now

/** Alerts of one fingerprint are about the same thing: at most one of them has not ended. */
export const fingerprintOf = ({ check, object }: { check: string; object: { id: string } }) => `${check} ${object.id}`

export interface AlertStore {
  /** Alerts that have not ended, and ended alerts that count until after `now`. */
  current(now: number): StoredAlert[]
  /** @param countsUntil of an ended one: until when a new alert of its fingerprint takes after it, Unix ms */
  save(alert: StoredAlert, countsUntil?: number): void
  /** Forgets one that never fired. */
  remove(id: string): void
  get(id: string): StoredAlert | undefined
  /** Ended ones, newest first. `before`: end and id of the last one seen. */
  ended(query: Omit<AlertHistoryQuery, 'before'> & { before?: { at: number; id: string } }): StoredAlert[]
  /** How many ended since then. */
  countEnded(since: number): number
  /** The alerts of a fingerprint that ended since then. `longestMs`: from firing to the end. */
  earlier(fingerprint: string, since: number): { count: number; longestMs?: number; lastAt?: number }
  /** Forgets those that ended before. */
  prune(before: number): void
}

/** The last run of a check. `problem`: the reason why the look did not see all. */
export type CheckRun = {
  id: string
  isOff?: true
  lastAt?: number
  durationMs?: number
  problem?: string
  /** It cannot run here. */
  cannotRun?: true
}

export interface CheckStore {
  list(): CheckRun[]
  save(run: CheckRun): void
}

export interface WindowStore {
  /** Windows that end after `now`, soonest to begin first. */
  list(now: number): MaintenanceWindow[]
  add(window: MaintenanceWindow): void
  /** @returns false if there is none */
  remove(id: string): boolean
}
