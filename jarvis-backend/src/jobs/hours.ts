import { wallClock } from './zone.ts'

const dayMs = 24 * 60 * 60_000
const minutesOf = (time: string): number => {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}
const minuteOfDay = (at: number, zone: string) => Math.floor((((wallClock(zone)(at) % dayMs) + dayMs) % dayMs) / 60_000)

/**
 * Returns true if an instant is within daily hours such as `22:00-06:00` of the zone's local time. The end is exclusive. Without hours, always true.
 */
export function isWithin(hours: string | undefined, at: number, zone: string): boolean {
  if (hours === undefined) return true
  const [from = 0, until = 0] = hours.split('-').map(minutesOf)
  const now = minuteOfDay(at, zone)
  return from <= until ? now >= from && now < until : now >= from || now < until
}

/** Returns true if the zone's local time has reached `time` on the day of `at`. */
export const isPast = (time: string, at: number, zone: string): boolean => minuteOfDay(at, zone) >= minutesOf(time)
