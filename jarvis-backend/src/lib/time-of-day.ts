import { ownZone } from './zone.ts'

const two = (value: number) => String(value).padStart(2, '0')

/** The time of day on this machine's clock, `09:05`. `toLocaleTimeString` builds a formatter for each call: 90 µs to 1. @param at Unix ms */
export function timeOfDay(at: number): string {
  const date = new Date(at)
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}

/** The same with its zone, for whoever reads it elsewhere: `09:05 UTC`, `09:05 CET`, `09:05 GMT+11`. @param at Unix ms */
export function timeWithZone(at: number, zone = ownZone()): string {
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  return new Intl.DateTimeFormat('en-GB', { ...time, timeZone: zone, timeZoneName: 'short' }).format(at)
}
