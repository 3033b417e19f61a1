import type { Job, JobSlot } from 'protocol'
import { dollars, span, thousands } from '../../lib/format.ts'
import type { MarkKind } from '../../ui/mark.tsx'

type SlotState = JobSlot['state']

/** The mark of a slot's state. `ask`: the icon of a call that waits for a person. */
export const slotMark: Record<SlotState, MarkKind | 'ask'> = {
  claimed: 'step',
  running: 'step',
  waiting: 'ask',
  done: 'ok',
  failed: 'bad',
  missed: 'missed',
  skipped: 'none',
  unknown: 'unknown',
}
export const slotWord: Record<SlotState, string> = {
  claimed: 'taken',
  running: 'runs',
  waiting: 'waits for you',
  done: 'done',
  failed: 'failed',
  missed: 'missed',
  skipped: 'skipped',
  unknown: 'outcome unknown',
}
export const workWord: Record<Job['work']['kind'], string> = {
  prompt: 'prompt',
  call: 'call',
  runbook: 'runbook',
  heartbeat: 'heartbeat',
  drill: 'restore drill',
}

/** Returns a job's state for its row. `tag`: text for every state except a plain success. */
export function stateOf({ state, last }: Job): { mark: MarkKind | 'ask' | 'pause'; tag?: string } {
  if (state === 'paused') return { mark: 'pause', tag: 'paused' }
  const newest = last.at(-1)
  if (state === 'ended') return { mark: 'none', tag: 'ended' }
  if (newest === undefined) return { mark: 'stopped', tag: 'not run yet' }
  const mark = slotMark[newest.state]
  return newest.state === 'done' ? { mark } : { mark, tag: slotWord[newest.state] }
}

/** Returns the outcome of a slot in one line. */
export function summaryOf({ state, summary, caughtUpAt, isByHand }: JobSlot, zone: string): string {
  const late = caughtUpAt === undefined ? '' : `, caught up at ${timeIn(caughtUpAt, zone)}: it only reads`
  return `${isByHand === true ? 'by hand: ' : ''}${summary ?? slotWord[state]}${late}`
}

/** Returns the known duration, tokens and cost of a slot: `1 min, 1.2k tokens, $0.03`. @param isWhole true: zero tokens are shown too */
export function costOf({ startedAt, endedAt, tokens, costUsd }: JobSlot, isWhole = true): string {
  return [
    startedAt !== undefined && endedAt !== undefined && span(endedAt - startedAt),
    tokens !== undefined && (isWhole || tokens > 0) && `${thousands(tokens)} tokens`,
    costUsd !== undefined && costUsd > 0 && dollars(costUsd),
  ]
    .filter(Boolean)
    .join(', ')
}

const format = (zone: string, options: Intl.DateTimeFormatOptions) => {
  const all = { hourCycle: 'h23', ...options } as const
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...all })
  } catch {
    // The browser does not know the zone, so use the browser's own.
    return new Intl.DateTimeFormat('en-GB', all)
  }
}
/** `20:11` in a time zone. */
export const timeIn = (at: number, zone: string): string =>
  format(zone, { hour: '2-digit', minute: '2-digit' }).format(at)
const dayIn = (at: number, zone: string) => format(zone, { day: 'numeric', month: 'short', year: 'numeric' }).format(at)
const weekdayIn = (at: number, zone: string) => format(zone, { weekday: 'short' }).format(at)

/** Returns the day of a time in its zone: `today`, `Thu`, `Sun 1 Nov`. */
export function dayWord(at: number, now: number, zone: string): string {
  if (dayIn(at, zone) === dayIn(now, zone)) return 'today'
  if (Math.abs(at - now) < 6 * 86_400_000) return weekdayIn(at, zone)
  return format(zone, { weekday: 'short', day: 'numeric', month: 'short' }).format(at).replace(',', '')
}
/** Returns a time with its day: `20:11`, `Thu 07:00`, `Sun 1 Nov 05:00`. */
export function instant(at: number, now: number, zone: string): string {
  const day = dayWord(at, now, zone)
  return `${day === 'today' ? '' : `${day} `}${timeIn(at, zone)}`
}

/** Returns the time zone of a job's schedule. @param server the server's time zone, for schedules without a zone */
export const zoneOf = ({ schedule }: Pick<Job, 'schedule'>, server: string): string =>
  schedule.kind === 'cron' ? schedule.zone : server
