import { z } from 'zod'
import { GuestIdentity } from './cluster.ts'
import { pageOf } from './page.ts'

/** `info`: for the record. `look`: needs a look. `failed`: something does not work, or data is at risk. */
export const Severity = z.enum(['info', 'look', 'failed'])
export type Severity = z.infer<typeof Severity>

/**
 * The object that an alert is about. `id`: `site`, `node/pve`, `vm/101`, `ct/104`, `storage/NAME` (shared) or `storage/NODE/NAME`, `disk/NODE/NAME`,
 * `pool/NODE/NAME`, `job/ID`; more may be added. Names are data.
 */
export const AlertObject = z.object({
  id: z.string(),
  name: z.string().optional(),
  node: z.string().optional(),
  vmid: z.int().optional(),
  /** The guest that had this VMID then; absent: not known. */
  guest: GuestIdentity.pick({ id: true, since: true }).optional(),
})
export type AlertObject = z.infer<typeof AlertObject>

/** A runbook that an alert's page offers, with the inputs that the alert provides. */
export const OfferedRunbook = z.object({
  name: z.string(),
  title: z.string(),
  inputs: z.record(z.string(), z.unknown()),
})
export type OfferedRunbook = z.infer<typeof OfferedRunbook>

/** A condition that a check found on an object, now or earlier. `check` and the object's id are the fingerprint. Times are Unix ms. */
export const Alert = z.object({
  id: z.string(),
  check: z.string(),
  object: AlertObject,
  severity: Severity,
  /**
   * `pending`: the condition holds, but not yet long enough to fire. `held`: the alert fired, and its object could not be measured since
   * `notSeenSince`. An alert resolves only if a measured value is clear or its object no longer exists.
   */
  state: z.enum(['pending', 'firing', 'held', 'resolved']),
  /** `pve is at 81 °C.` */
  sentence: z.string(),
  /** `Limit 80 °C for 5 min, clears below 75 °C.` */
  limit: z.string().optional(),
  /** The newest value in words: `81 °C`. */
  value: z.string().optional(),
  /** The samples that a chart of the alert shows. `series`, `field`: as in `/api/samples`. `limit`, `clears`: in the field's unit. */
  chart: z
    .object({ series: z.string(), field: z.string(), limit: z.number().optional(), clears: z.number().optional() })
    .optional(),
  /** Start of the condition, as far as it was observed or recorded. */
  since: z.int(),
  /** When a `pending` alert fires if the condition goes on. */
  firesAt: z.int().optional(),
  firedAt: z.int().optional(),
  notSeenSince: z.int().optional(),
  resolvedAt: z.int().optional(),
  /** Why the alert ended: `81 → 70 °C`, or that the object no longer exists. */
  ending: z.string().optional(),
  /** `until`: the value, in words, that ends the acknowledgement. */
  acknowledged: z
    .object({ by: z.string(), at: z.int(), note: z.string().optional(), until: z.string().optional() })
    .optional(),
  /**
   * Nobody is notified until `until`; without `until`, until a person ends the silence. `window`: id of the maintenance window that silences the
   * alert.
   */
  silenced: z
    .object({ by: z.string(), until: z.int().optional(), note: z.string().optional(), window: z.string().optional() })
    .optional(),
  /** The alert changed so often that nobody is notified until `until`. */
  flapping: z.object({ until: z.int(), changes: z.int(), since: z.int().optional() }).optional(),
  /** Id of the alert that explains this one. Nobody is notified of this one. */
  hiddenBy: z.string().optional(),
  /** How many alerts this one hides. */
  hides: z.int().optional(),
  /** A sentence on work or a state that explains the alert for now, such as a running backup. */
  explainedBy: z.string().optional(),
  /** Id of an alert of the same node that fired at most five minutes before this one. It need not be the cause. */
  near: z.string().optional(),
  /** Notifications of the alert. `words`: who was notified, or why nobody was: `2 devices`, `held in the window`. */
  told: z.array(z.object({ at: z.int(), what: z.enum(['fired', 'resolved']), words: z.string() })),
})
export type Alert = z.infer<typeof Alert>

/**
 * Reply of `GET /api/alerts`: all alerts that have not ended, gravest first. `ended` counts those of the history. `checkedAt`: null before the first
 * check.
 */
export const AlertsReply = z.object({
  items: z.array(Alert),
  now: z.int(),
  checkedAt: z.int().nullable(),
  checks: z.object({ on: z.int(), cannotRun: z.int() }),
  /** Alerts that ended in the last seven days. */
  ended: z.int(),
  /**
   * All silences in force. A silence of an ended alert is in the list too, because it also covers the next alert of the same fingerprint. `alert`:
   * the alert's id.
   */
  silences: z.array(
    z.object({
      alert: z.string(),
      check: z.string(),
      object: z.string(),
      sentence: z.string(),
      hasEnded: z.boolean(),
      by: z.string(),
      note: z.string(),
      until: z.int().optional(),
    }),
  ),
})
export type AlertsReply = z.infer<typeof AlertsReply>

/** Reply of `GET /api/alerts/history`: ended ones, newest first. */
export const AlertHistory = pageOf(Alert)
export type AlertHistory = z.infer<typeof AlertHistory>
/** `check`, `object`, `node`: select alerts with these values. */
export const AlertHistoryQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  before: z
    .string()
    .max(100)
    .regex(/^\d{1,15}\..+$/, 'must be a cursor from `next`')
    .optional(),
  check: z.string().max(100).optional(),
  object: z.string().max(200).optional(),
  node: z.string().max(100).optional(),
})
export type AlertHistoryQuery = z.infer<typeof AlertHistoryQuery>

/** Reply of `GET /api/alerts/ID`: the alert with all known facts about it. Unknown facts are absent, and `missing` says why. */
export const AlertDetail = Alert.extend({
  title: z.string(),
  evidence: z.object({
    /** `read`: the command or path that was read. `at`: when. `durationMs`: how long the read took. */
    read: z.string(),
    at: z.int(),
    durationMs: z.number().optional(),
    /** Newest values in words, oldest first. */
    values: z.array(z.string()),
    /** The usual value: `58 °C, median of 24 h`. */
    usual: z.string().optional(),
    /** Earlier alerts of the same fingerprint in 30 days. */
    before: z.object({ count: z.int(), longestMs: z.int().optional(), lastAt: z.int().optional() }),
  }),
  /** Changes to the object and its node in the day before the alert, newest first: entries of the journal, and tasks that JARVIS did not start. */
  changes: z.array(
    z.object({
      at: z.int(),
      sentence: z.string(),
      by: z.string(),
      isOurs: z.boolean(),
      /** Number of the journal's entry. */
      entry: z.int().optional(),
    }),
  ),
  /** Other alerts of the same node at about that time. */
  also: z.array(Alert),
  /** Alerts that this one hides. */
  hidden: z.array(Alert),
  runbooks: z.array(OfferedRunbook),
  missing: z.array(z.string()),
})
export type AlertDetail = z.infer<typeof AlertDetail>

/** `untilValue`: a value in the check's unit. The acknowledgement ends when the measured value is worse. */
export const AcknowledgeBody = z.strictObject({
  note: z.string().trim().max(500).optional(),
  untilValue: z.number().optional(),
})
/** `until`: Unix ms, at most 30 days ahead; absent: without an end. */
export const SilenceBody = z.strictObject({ until: z.int().optional(), note: z.string().trim().min(1).max(500) })

/**
 * One check. `off`: it is switched off. `cannot_run`: `problem` says which right, command or sensor is missing. `unknown`: it has not run yet, or
 * its last run did not read everything; `problem` says why.
 */
export const CheckRow = z.object({
  id: z.string(),
  title: z.string(),
  /** The call that the check reads: `GET /nodes/{node}/disks/zfs`. */
  reads: z.string(),
  /** The check's limit in words. */
  limit: z.string(),
  state: z.enum(['ok', 'alerts', 'off', 'cannot_run', 'unknown']),
  problem: z.string().optional(),
  lastAt: z.int().optional(),
  everyMs: z.int(),
  firing: z.int(),
  /** The operator wrote this check in `checks.yaml`. */
  isOwn: z.literal(true).optional(),
})
export type CheckRow = z.infer<typeof CheckRow>
/** `problems`: why the current `checks.yaml` is not in force, with line numbers. */
export const ChecksReply = z.object({ items: z.array(CheckRow), problems: z.array(z.string()) })
export type ChecksReply = z.infer<typeof ChecksReply>

/**
 * Expected downtime. Alerts of these objects are shown, but nobody is notified. `objects`: ids as in an alert. A node's id also covers everything on
 * the node; `*` covers everything.
 */
export const MaintenanceWindow = z.object({
  id: z.string(),
  name: z.string(),
  objects: z.array(z.string()),
  from: z.int(),
  until: z.int(),
  by: z.string(),
})
export type MaintenanceWindow = z.infer<typeof MaintenanceWindow>
export const WindowBody = z
  .strictObject({
    name: z.string().trim().min(1).max(100),
    objects: z
      .array(
        z
          .string()
          .max(200)
          .regex(/^(\*|site|[a-z]+\/.+)$/, 'must be an id as in an alert, or *'),
      )
      .min(1)
      .max(200),
    from: z.int(),
    until: z.int(),
  })
  .refine(({ from, until }) => until > from, 'must end after it begins')
export const CheckBody = z.strictObject({ isOff: z.boolean() })
