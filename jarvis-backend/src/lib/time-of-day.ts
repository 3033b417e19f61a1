const two = (value: number) => String(value).padStart(2, '0')

/** The time of day on this machine's clock, `09:05`. `toLocaleTimeString` builds a formatter for each call: 90 µs to 1. @param at Unix ms */
export function timeOfDay(at: number): string {
  const date = new Date(at)
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}
