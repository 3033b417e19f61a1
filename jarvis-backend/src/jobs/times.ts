import { Cron } from 'croner'
import { JarvisError, type Schedule } from 'protocol'
import { isZone } from '../lib/zone.ts'

const minuteMs = 60_000
/** The most distant date that a schedule may name, ms from now. A later date is probably a typing error. */
const furthestMs = 5 * 366 * 24 * 60 * minuteMs

/** The instants of a schedule, Unix ms, oldest first. `after` is exclusive, `until` inclusive. */
export type Times = {
  /** The next instants, at most `count`; empty if the schedule has no more. */
  next(after: number, count: number): number[]
  /** The newest instants between two times, at most `count`. `hasEarlier`: there are earlier ones between the two times. */
  newest(after: number, until: number, count: number): { slots: number[]; hasEarlier: boolean }
}

/**
 * Reads a schedule.
 * @param anchor the instant from which intervals are counted, Unix ms
 * @throws JarvisError `invalid_request` with the reason if the schedule cannot be read or has no instant
 */
export function timesOf(schedule: Schedule, anchor: number): Times {
  switch (schedule.kind) {
    case 'once':
      return once(schedule.at)
    case 'interval':
      return every(schedule.minutes * minuteMs, anchor)
    case 'cron':
      return byLine(schedule.line, schedule.zone, anchor)
    default:
      return schedule satisfies never
  }
}

/** Checks a new job's schedule. @throws JarvisError `invalid_request` if it would never run */
export function requireFuture(schedule: Schedule, now: number): void {
  if (schedule.kind === 'once' && (schedule.at <= now || schedule.at > now + furthestMs))
    throw refused(schedule.at <= now ? 'at: that time has passed.' : 'at: that is more than five years away.')
  timesOf(schedule, now)
}

const refused = (reason: string) => new JarvisError('invalid_request', reason)

const once = (at: number): Times => ({
  next: (after) => (at > after ? [at] : []),
  newest: (after, until) => ({ slots: at > after && at <= until ? [at] : [], hasEarlier: false }),
})

function every(stepMs: number, anchor: number): Times {
  const numberAt = (at: number) => Math.floor((at - anchor) / stepMs)
  const at = (number: number) => anchor + number * stepMs
  const from = (first: number, count: number) => Array.from({ length: Math.max(0, count) }, (_, n) => at(first + n))
  return {
    next: (after, count) => from(Math.max(1, numberAt(after) + 1), count),
    newest(after, until, count) {
      const earliest = Math.max(1, numberAt(after) + 1)
      const last = numberAt(until)
      const first = Math.max(earliest, last - count + 1)
      return { slots: from(first, last - first + 1), hasEarlier: first > earliest }
    },
  }
}

/** Reads a cron line. Croner only calculates times; its timers are not used, because they know nothing of claimed slots. */
function byLine(line: string, zone: string, now: number): Times {
  const fields = line.trim().split(/\s+/)
  if (fields.length !== 5 || !fields.every((field) => /^[\dA-Za-z*,/#-]+$/.test(field)))
    throw refused(
      `line: ${JSON.stringify(line)} must have five fields (minute, hour, day of the month, month, weekday), for example 30 2 * * *.`,
    )
  const [, , day = '*', , weekday = '*'] = fields
  // Cron runs on days that match either field; systemd and Proxmox run only on days that match both.
  if (day !== '*' && weekday !== '*')
    throw refused(
      'line: day of the month and weekday are both given, which programs read differently. Write 0 3 * * 0#1 for the first Sunday of a month, or make two jobs.',
    )
  if (!isZone(zone)) throw refused(`zone: there is no time zone ${JSON.stringify(zone)}, for example Europe/Berlin.`)
  let cron: Cron
  let first: Date | null
  try {
    // `no-wildcard`: `0 2,3 * * *` runs once at each of its hours, even on the day on which the clocks go back.
    cron = new Cron(fields.join(' '), {
      ...({ mode: '5-part', fixedTimeRule: 'no-wildcard', paused: true } as const),
      timezone: zone,
    })
    first = cron.nextRun(new Date(now))
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^Cron\w+: /, '') : String(error)
    throw refused(`line: ${why}`)
  }
  if (first === null) throw refused(`line: ${JSON.stringify(line)} never comes.`)
  return {
    next: (after, count) => cron.nextRuns(count, new Date(after)).map(Number),
    newest(after, until, count) {
      const slots: number[] = []
      // `until` is inclusive, but Croner's reference instant is exclusive. The instants are read one by one, because Croner might otherwise search
      // back for decades.
      for (let reference = until + 1; ; ) {
        const at = Number(cron.previousRuns(1, new Date(reference))[0] ?? Number.NEGATIVE_INFINITY)
        if (at <= after) return { slots, hasEarlier: false }
        if (slots.length === count) return { slots, hasEarlier: true }
        slots.unshift(at)
        reference = at
      }
    },
  }
}
