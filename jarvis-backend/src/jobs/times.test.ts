import type { Schedule } from 'protocol'
import { expect, test } from 'vitest'
import { requireFuture, timesOf } from './times.ts'
import { clockChangeWords, scheduleWords } from './words.ts'
import { type ClockChange, nextClockChange, wallClock } from './zone.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const now = Date.UTC(2026, 10, 23, 8)
const cron = (line: string, zone = 'UTC'): Schedule => ({ kind: 'cron', line, zone })

test.each<[string, Schedule, RegExp]>([
  ['six fields, which other programs read as seconds', cron('0 0 3 * * *'), /five fields/],
  ['four fields', cron('0 3 * *'), /five fields/],
  ['a nickname', cron('@daily'), /five fields/],
  ['a date in place of a line', cron('2026-12-01T00:00:00'), /five fields/],
  ['a question mark, which means the present minute elsewhere', cron('? 3 * * *'), /five fields/],
  ['an hour that is none', cron('0 25 * * *'), /hour: 25/],
  ['a word that is no day', cron('0 3 * * FUNDAY'), /line:/],
  ['a day that never comes', cron('0 0 31 2 *'), /never comes/],
  ['a day and a weekday', cron('0 3 1-7 * 0'), /both given/],
  ['a zone that is none', cron('0 3 * * *', 'Europe/Brelin'), /no time zone "Europe\/Brelin"/],
  ['no zone, which would be the machine’s', cron('0 3 * * *', ''), /no time zone/],
  ['an offset', cron('0 3 * * *', '+02:00'), /no time zone/],
  ['a time that has passed', { kind: 'once', at: now }, /has passed/],
  ['a time in the far future', { kind: 'once', at: now * 2 }, /five years/],
])('%s is refused with the reason', (_, schedule, reason) => {
  expect(() => requireFuture(schedule, now)).toThrow(reason)
})

test.each<[Schedule, string]>([
  [cron('11 20 * * *', 'Europe/Berlin'), 'daily at 20:11, Europe/Berlin'],
  [cron('0 2,14 * * *'), 'daily at 02:00 and 14:00, UTC'],
  [cron('*/5 * * * *'), 'every 5 min, UTC'],
  [cron('*/7 * * * *'), 'at the minutes divisible by 7, UTC'],
  [cron('5 * * * *'), 'hourly at :05, UTC'],
  [cron('15 */6 * * *'), 'every 6 h at minute 15, UTC'],
  [cron('*/10 8-18 * * 1-5'), 'every 10 min of the hours 8-18, Monday to Friday, UTC'],
  [cron('0 3 * * SUN'), 'Sunday at 03:00, UTC'],
  [cron('0 3 * * 7'), 'Sunday at 03:00, UTC'],
  [cron('0 3 * * 0#1'), 'on the 1st Sunday of the month at 03:00, UTC'],
  [cron('0 3 * * 5L'), 'on the last Friday of the month at 03:00, UTC'],
  [cron('0 3 1,22 * *'), 'on the 1st and 22nd of the month at 03:00, UTC'],
  [cron('0 3 L * *'), 'on the last day of the month at 03:00, UTC'],
  [cron('0 3 1 jan,7 *'), 'on the 1st of the month in January and July at 03:00, UTC'],
  [{ kind: 'interval', minutes: 30 }, 'every 30 min'],
  [{ kind: 'interval', minutes: 60 }, 'every hour'],
  [{ kind: 'interval', minutes: 2880 }, 'every 2 days'],
  [{ kind: 'once', at: now }, 'once, on 23 Nov 2026 at 08:00, UTC'],
])('%j reads %s', (schedule, words) => {
  expect(scheduleWords(schedule, 'UTC')).toBe(words)
})

test.each<[string, string, string | undefined]>([
  ['11 20 * * *', '2026-10-12', 'Clocks change on 25 Oct: 20:11 both before and after.'],
  ['30 2 * * *', '2026-10-12', 'Clocks change on 25 Oct: 02:30 comes twice that day, and it runs once.'],
  ['30 2 * * *', '2027-03-12', 'Clocks change on 28 Mar: there is no 02:30 that day, and it runs at 03:00.'],
  ['0 3 * * 1', '2026-10-12', 'Clocks change on 25 Oct: it does not run that day.'],
  ['5 * * * *', '2026-10-12', 'Clocks change on 25 Oct: 25 times that day in place of 24.'],
  ['*/10 8-9 * * *', '2026-10-12', 'Clocks change on 25 Oct: as often as on other days.'],
  ['11 20 * * *', '2026-07-01', undefined],
])('%s in Berlin, told on %s', (line, day, words) => {
  expect(clockChangeWords(cron(line, 'Europe/Berlin'), Date.parse(day))).toBe(words)
})

test('an interval is counted from its anchor, and ends are told apart', () => {
  const times = timesOf({ kind: 'interval', minutes: 30 }, now)
  const at = (number: number) => now + number * 30 * minuteMs
  expect(times.next(now, 2)).toEqual([at(1), at(2)])
  expect(times.next(at(1) - 1, 1)).toEqual([at(1)])
  expect(times.newest(now, at(5), 2)).toEqual({ slots: [at(4), at(5)], hasEarlier: true })
  expect(times.newest(at(4), at(5), 2)).toEqual({ slots: [at(5)], hasEarlier: false })
  expect(times.newest(at(5), at(5), 2)).toEqual({ slots: [], hasEarlier: false })
  const daily = timesOf(cron('0 3 * * *'), now)
  const [next = 0] = daily.next(now, 1)
  expect(daily.next(next, 1)).toEqual([next + 24 * hourMs])
  expect(daily.newest(next - 1, next, 3)).toEqual({ slots: [next], hasEarlier: false })
  expect(daily.newest(next, next + 1, 3)).toEqual({ slots: [], hasEarlier: false })
})

const zones = ['Europe/Berlin', 'Australia/Lord_Howe', 'America/New_York', 'Africa/Casablanca', 'America/Sao_Paulo']
const changesOf = (zone: string) => {
  const found: ClockChange[] = []
  for (let from = Date.UTC(2026, 0); ; ) {
    const change = nextClockChange(zone, from, Date.UTC(2029, 0))
    if (change === undefined) return found
    found.push(change)
    from = change.at
  }
}
const changes = zones.flatMap((zone) => changesOf(zone).map((change) => ({ zone, ...change })))

test('the zones have the gaps and repeated hours that are looked at', () => {
  const count = (zone: string) => changes.filter((change) => change.zone === zone).length
  expect(zones.filter((zone) => zone !== 'Africa/Casablanca').map(count)).toEqual([6, 6, 6, 0])
  // Morocco gives up its changes in the zones of newer releases of Node.
  expect(count('Africa/Casablanca')).toBeGreaterThan(0)
  expect(new Set(changes.map(({ byMs }) => byMs / minuteMs))).toEqual(new Set([60, -60, 30, -30]))
})

/** Each minute of the three days around an instant, with the wall clock's. */
function minutesAround(zone: string, at: number) {
  const wall = wallClock(zone)
  const first = at - 36 * hourMs
  return Array.from({ length: 72 * 60 }, (_, n) => first + n * minuteMs).map((utc) => {
    const told = new Date(wall(utc)).toISOString()
    return { utc, date: told.slice(0, 10), time: told.slice(11, 16), minute: Number(told.slice(14, 16)) }
  })
}

test.each(changes)('$zone keeps its times when the clocks go by $byMs ms at $at', ({ zone, at, byMs }) => {
  const minutes = minutesAround(zone, at)
  const [start = 0, end = 0] = [minutes[0]?.utc, minutes.at(-1)?.utc]
  const wholeDates = [...new Set(minutes.map(({ date }) => date))].slice(1, -1)
  const ran = (line: string) => {
    const slots = timesOf(cron(line, zone), start).newest(start, end, 10_000).slots
    return minutes.filter(({ utc, date }) => slots.includes(utc) && wholeDates.includes(date)).map(({ utc }) => utc)
  }
  // Times of the gap or the repeated hour, and around it.
  const near = [-60, -30, -15, 0, 15, 30, 60].map((offset) =>
    new Date(wallClock(zone)(at - 1) + 1 + offset * minuteMs + Math.min(0, byMs)).toISOString(),
  )
  for (const time of new Set(near.map((iso) => iso.slice(11, 16)))) {
    const [hour, minute] = time.split(':').map(Number)
    // Once each date: at that time, the first of two, or as soon as a gap is over.
    const expected = wholeDates.map((date) => {
      const exact = minutes.find((one) => one.date === date && one.time === time)
      return (exact ?? minutes.find((one) => one.date === date && one.utc >= at))?.utc
    })
    expect([time, ran(`${minute} ${hour} * * *`)]).toEqual([time, expected])
  }
  // A schedule by the wall clock is due whenever the clock shows its time.
  expect(ran('*/15 * * * *')).toEqual(
    minutes.filter(({ date, minute }) => wholeDates.includes(date) && minute % 15 === 0).map(({ utc }) => utc),
  )
})
