import type { Schedule } from 'protocol'
import { timesOf } from './times.ts'
import { nextClockChange, wallClock } from './zone.ts'

const dayMs = 24 * 60 * 60_000
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'],
  ...['October', 'November', 'December'],
]

const two = (value: number | string) => String(value).padStart(2, '0')
const isNumber = (field: string) => /^\d+$/.test(field)
const listed = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
const ordinal = (value: number) => {
  const ends = { 1: 'st', 2: 'nd', 3: 'rd' } as Record<number, string>
  return `${value}${(value % 100 > 10 && value % 100 < 14 ? undefined : ends[value % 10]) ?? 'th'}`
}

/** A schedule in words: `daily at 20:11, Europe/Berlin`, `every 30 min`. @param zone the zone in which a single date is written */
export function scheduleWords(schedule: Schedule, zone: string): string {
  switch (schedule.kind) {
    case 'once':
      return `once, on ${dateIn(zone, schedule.at)} at ${timeIn(zone, schedule.at)}, ${zone}`
    case 'interval':
      return `every ${spanIn(schedule.minutes)}`
    case 'cron':
      return `${lineWords(schedule.line.trim().split(/\s+/))}, ${schedule.zone}`
    default:
      return schedule satisfies never
  }
}

const spanIn = (minutes: number) =>
  minutes % 1440 === 0
    ? minutes === 1440
      ? 'day'
      : `${minutes / 1440} days`
    : minutes % 60 === 0
      ? minutes === 60
        ? 'hour'
        : `${minutes / 60} h`
      : minutes === 1
        ? 'minute'
        : `${minutes} min`

function lineWords([minute = '*', hour = '*', day = '*', month = '*', weekday = '*']: readonly string[]): string {
  const days = dayWords(day, weekday)
  const inMonths = month === '*' ? '' : ` in ${namesOf(month.toUpperCase(), months, 1)}`
  const isTimes = /^[\d,]+$/.test(minute) && /^[\d,]+$/.test(hour)
  if (isTimes) {
    const times = hour.split(',').flatMap((h) => minute.split(',').map((m) => `${two(h)}:${two(m)}`))
    return `${days === '' ? 'daily' : days}${inMonths} at ${listed(times)}`
  }
  const often = hourWords(minute, hour)
  return `${often}${days === '' ? '' : `, ${days}`}${inMonths}`
}

function hourWords(minute: string, hour: string): string {
  const step = /^\*\/(\d+)$/.exec(minute)?.[1]
  const ofHour = /^\*\/(\d+)$/.exec(hour)?.[1]
  const at = isNumber(minute) ? ` at minute ${minute}` : ''
  if (hour === '*' && isNumber(minute)) return `hourly at :${two(minute)}`
  if (ofHour !== undefined && isNumber(minute)) return `every ${ofHour} h${at}`
  // A step starts again at each full hour, so a step that does not divide 60 is not an even interval.
  const isEven = step !== undefined && 60 % Number(step) === 0
  const often =
    minute === '*'
      ? 'every minute'
      : isEven
        ? `every ${step} min`
        : `at the minutes ${minute.replace('*/', 'divisible by ')}`
  return hour === '*' ? often : `${often} of the hours ${hour.replace('*/', 'divisible by ')}`
}

function dayWords(day: string, weekday: string): string {
  if (day === '*' && weekday === '*') return ''
  if (weekday !== '*') return weekdayWords(weekday.toUpperCase())
  if (day.toUpperCase() === 'L') return 'on the last day of the month'
  const numbers = day.split(',')
  if (numbers.every(isNumber)) return `on the ${listed(numbers.map((n) => ordinal(Number(n))))} of the month`
  const near = /^(\d+)W$/i.exec(day)?.[1]
  return near === undefined
    ? `on the days ${day.replace('*/', 'divisible by ')} of the month`
    : `on the weekday next to the ${ordinal(Number(near))} of the month`
}

function weekdayWords(weekday: string): string {
  const [, name = '', nth] = /^(\w+)#(\d)$/.exec(weekday) ?? []
  if (nth !== undefined) return `on the ${ordinal(Number(nth))} ${namesOf(name, weekdays, 0)} of the month`
  const last = /^(\w+)L$/.exec(weekday)?.[1]
  if (last !== undefined) return `on the last ${namesOf(last, weekdays, 0)} of the month`
  return namesOf(weekday, weekdays, 0)
}

/** Converts the numbers and short names of a field to whole names. */
function namesOf(field: string, names: readonly string[], first: number): string {
  const named = (part: string) => {
    const index = isNumber(part)
      ? Number(part) - first
      : names.findIndex((name) => name.slice(0, 3).toUpperCase() === part)
    // Sunday is both 0 and 7.
    return names[names.length === 7 ? index % 7 : index] ?? part
  }
  return listed(
    field.split(',').map((part) => {
      const [, from = '', to, step] = /^(\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? []
      if (from === '') return part
      return `${named(from)}${to === undefined ? '' : ` to ${named(to)}`}${step === undefined ? '' : `, each ${ordinal(Number(step))}`}`
    }),
  )
}

const shortMonths = months.map((name) => name.slice(0, 3))
const dateIn = (zone: string, at: number) => {
  const wall = new Date(wallClock(zone)(at))
  return `${wall.getUTCDate()} ${shortMonths[wall.getUTCMonth()]} ${wall.getUTCFullYear()}`
}
const timeIn = (zone: string, at: number) => new Date(wallClock(zone)(at)).toISOString().slice(11, 16)

/** A change of the clocks is announced if it is at most this far ahead, ms. */
const toldAheadMs = 45 * dayMs

/**
 * Describes the effect of the next change of the clocks on a schedule: `Clocks change on 25 Oct: 20:11 both before and after.`
 * @returns undefined if no change is near, or the schedule does not follow local time
 */
export function clockChangeWords(schedule: Schedule, now: number): string | undefined {
  if (schedule.kind !== 'cron') return undefined
  const { zone, line } = schedule
  const change = nextClockChange(zone, now, now + toldAheadMs)
  if (change === undefined) return undefined
  const wall = wallClock(zone)
  const [day = '', month = ''] = dateIn(zone, change.at).split(' ')
  const times = timesOf(schedule, now)
  /** The instants on the local day that is `days` days after the change of the clocks. */
  const ofDay = (days: number) => {
    const noon = change.at + days * dayMs
    const date = new Date(wall(noon)).toISOString().slice(0, 10)
    return times
      .newest(noon - 2 * dayMs, noon + 2 * dayMs, 4 * 1440)
      .slots.filter((at) => new Date(wall(at)).toISOString().slice(0, 10) === date)
  }
  const that = ofDay(0)
  const [minute = '', hour = ''] = line.trim().split(/\s+/)
  const isFixed = isNumber(minute) && isNumber(hour)
  if (isFixed) {
    const told = `${two(hour)}:${two(minute)}`
    const [at] = that
    const usual = Math.abs(change.byMs)
    if (at === undefined) return `Clocks change on ${day} ${month}: it does not run that day.`
    if (timeIn(zone, at) !== told)
      return `Clocks change on ${day} ${month}: there is no ${told} that day, and it runs at ${timeIn(zone, at)}.`
    const isTwice = change.byMs < 0 && [at - usual, at + usual].some((other) => wall(other) === wall(at))
    return isTwice
      ? `Clocks change on ${day} ${month}: ${told} comes twice that day, and it runs once.`
      : `Clocks change on ${day} ${month}: ${told} both before and after.`
  }
  const usual = ofDay(7).length
  if (that.length === usual) return `Clocks change on ${day} ${month}: as often as on other days.`
  return `Clocks change on ${day} ${month}: ${that.length} times that day in place of ${usual}.`
}
