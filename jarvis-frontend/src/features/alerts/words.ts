import type { Alert, CheckRow, Severity } from 'protocol'
import { exactTime, longSpan, span, timeOfDay } from '../../lib/format.ts'
import type { MarkKind } from '../../ui/mark.tsx'
import { severityMark } from './worst.ts'

export const groups = ['firing', 'pending', 'acknowledged', 'silenced'] as const
export type Group = (typeof groups)[number]
export const groupWord: Record<Group | 'history', string> = {
  firing: 'Firing',
  pending: 'Pending',
  acknowledged: 'Acknowledged',
  silenced: 'Silenced',
  history: 'History',
}

export const severityWord: Record<Severity, string> = { failed: 'Failed', look: 'Look', info: 'For the record' }

/** Returns an alert's mark. An alert that is held, hidden or not live gets the mark `unknown`, without colour. */
export const markOf = ({ state, severity, hiddenBy }: Alert, isLive = true): MarkKind =>
  !isLive || state === 'held' || hiddenBy !== undefined ? 'unknown' : severityMark[severity]

export function groupOf({ state, acknowledged, silenced }: Alert): Group {
  if (silenced !== undefined) return 'silenced'
  if (acknowledged !== undefined) return 'acknowledged'
  return state === 'pending' ? 'pending' : 'firing'
}

/** Returns an alert's sentence as a heading, without the final dot. */
export const headOf = ({ sentence }: Alert): string => sentence.replace(/\.$/, '')

export type Line =
  | { kind: 'group'; key: string; group: Group | 'history'; count: number | undefined }
  | { kind: 'alert'; key: string; alert: Alert; above: Alert | undefined }
  | { kind: 'hidden'; key: string; check: string; items: readonly Alert[] }
  | { kind: 'day'; key: string; at: number }
  | { kind: 'ended'; key: string; alert: Alert }

/** Returns the rows of the list: each group with its alerts, and under each alert the alerts that it hides, grouped by check. */
export function linesOf(items: readonly Alert[], only?: Group): Line[] {
  const known = new Set(items.map(({ id }) => id))
  const isUnder = ({ hiddenBy }: Alert) => hiddenBy !== undefined && known.has(hiddenBy)
  const heads = items.filter((alert) => !isUnder(alert))
  return groups.flatMap((group): Line[] => {
    const own = heads.filter((alert) => groupOf(alert) === group)
    if (own.length === 0 || (only !== undefined && only !== group)) return []
    return [
      { kind: 'group', key: group, group, count: own.length },
      ...own.flatMap((alert, at): Line[] => [
        { kind: 'alert', key: alert.id, alert, above: own[at - 1] },
        ...hiddenUnder(alert, items),
      ]),
    ]
  })
}

function hiddenUnder(cause: Alert, items: readonly Alert[]): Line[] {
  const byCheck = new Map<string, Alert[]>()
  for (const alert of items) {
    if (alert.hiddenBy === cause.id) byCheck.set(alert.check, [...(byCheck.get(alert.check) ?? []), alert])
  }
  return [...byCheck].map(([check, under]) => ({ kind: 'hidden', key: `${cause.id} ${check}`, check, items: under }))
}

const dayMs = 86_400_000
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
/** `02:14` for today, `Sunday 05:10` within six days before or after, otherwise `Tue 14 Oct, 05:10`. */
export function when(at: number, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0)
  if (at >= today && at < today + dayMs) return timeOfDay(at)
  if (Math.abs(at - now) < 6 * dayMs) return `${weekdays[new Date(at).getDay()]} ${timeOfDay(at)}`
  return exactTime(at, now)
}

/** Returns the line under an alert's sentence. @param above the previous alert in the list */
export function detailOf(alert: Alert, above: Alert | undefined, now: number): string {
  const { state, since, firedAt, firesAt, silenced, acknowledged } = alert
  if (silenced !== undefined) {
    const why = silenced.note === undefined ? '' : ` · “${silenced.note}”`
    const until = silenced.until === undefined ? 'without an end' : `until ${when(silenced.until, now)}`
    return `${until}${silenced.window === undefined ? '' : ', in a window'}${why}`
  }
  if (acknowledged !== undefined) {
    const { by, at, note, until } = acknowledged
    const back = until === undefined ? '' : ` · back if it passes ${until}`
    return `${by}, ${when(at, now)}${note === undefined ? '' : `: “${note}”`}${back}`
  }
  if (state === 'pending' && firesAt !== undefined) {
    return `for ${span(now - since)} of ${span(firesAt - since)}, then it fires`
  }
  const parts = [
    state === 'held'
      ? `held: not seen since ${when(alert.notSeenSince ?? since, now)}`
      : `since ${when(firedAt ?? since, now)}, ${longSpan(now - (firedAt ?? since))}`,
    alert.flapping && `quiet until ${when(alert.flapping.until, now)}, ${alert.flapping.changes} changes`,
    (alert.hides ?? 0) > 0 && `hides ${alert.hides}`,
    alert.explainedBy,
    alert.near !== undefined &&
      (alert.near === above?.id ? 'with the one above: same node' : 'near another on its node'),
  ]
  return parts.filter(Boolean).join(' · ')
}

/** Returns when and why an ended alert ended, and how long it lasted. */
export function endingOf({ firedAt, since, resolvedAt, ending, silenced }: Alert, now: number): [string, string] {
  const lasted = resolvedAt === undefined ? '' : span(resolvedAt - (firedAt ?? since))
  const quiet = silenced === undefined ? undefined : 'nobody was told'
  return [[when(resolvedAt ?? since, now), ending, quiet].filter(Boolean).join(' · '), lasted]
}

/** Sums up the checks: `25 checks, 1 cannot run, 09:08:12`. */
export function checksWords(checks: { on: number; cannotRun: number }, checkedAt: number | null): string {
  const away = checks.cannotRun > 0 ? `, ${checks.cannotRun} cannot run` : ''
  return `${checks.on} checks${away}, ${checkedAt === null ? 'not looked yet' : clockOf(checkedAt)}`
}

/** Local time with seconds, `09:08:12`. */
export function clockOf(at: number): string {
  return `${timeOfDay(at)}:${String(new Date(at).getSeconds()).padStart(2, '0')}`
}

export const checkStateWord: Record<CheckRow['state'], string> = {
  ok: 'well',
  alerts: 'alerts',
  off: 'off',
  cannot_run: 'cannot run',
  unknown: 'not run yet',
}
