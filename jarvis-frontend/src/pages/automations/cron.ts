/**
 * Days and times that the picker shows. `times`: `HH:MM`, in order; all have the same minutes, because a cron line has one field for them.
 * `weekdays`: 1 for Monday to 7 for Sunday, all seven for every day. `days`: days of the month, 1 to 31.
 */
export type Picked = { times: readonly string[] } & (
  | { every: 'week'; weekdays: readonly number[] }
  | { every: 'month'; days: readonly number[] }
)

export const weekdayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const
export const allWeek: readonly number[] = [1, 2, 3, 4, 5, 6, 7]

const sorted = (numbers: readonly number[]) => [...new Set(numbers)].toSorted((a, b) => a - b)

/** Returns the cron line of picked days and times; undefined if no day or no time is picked. */
export function cronOf(picked: Picked): string | undefined {
  const [first] = picked.times
  const days = picked.every === 'week' ? picked.weekdays : picked.days
  if (first === undefined || days.length === 0) return undefined
  const minute = Number(first.slice(3))
  const hours = sorted(picked.times.map((time) => Number(time.slice(0, 2)))).join(',')
  if (picked.every === 'month') return `${minute} ${hours} ${sorted(days).join(',')} * *`
  return `${minute} ${hours} * * ${days.length === 7 ? '*' : sorted(days).join(',')}`
}

/** Returns the days and times of a cron line; undefined if the picker cannot show exactly this line, which then stays a text. */
export function pickedOf(line: string): Picked | undefined {
  const [minute = '', hour = '', day = '', month, weekday = '', ...rest] = line.trim().split(/\s+/)
  const minutes = numbersIn(minute, 0, 59)
  const hours = numbersIn(hour, 0, 23)
  if (minutes?.length !== 1 || hours === undefined || month !== '*' || rest.length > 0) return undefined
  const two = (number = 0) => String(number).padStart(2, '0')
  const times = hours.map((at) => `${two(at)}:${two(minutes[0])}`)
  if (day === '*') {
    const weekdays = weekday === '*' ? allWeek : numbersIn(named(weekday), 0, 7)
    return weekdays && { every: 'week', times, weekdays: sorted(weekdays.map((at) => at || 7)) }
  }
  const days = weekday === '*' ? numbersIn(day, 1, 31) : undefined
  return days && { every: 'month', times, days }
}

/** Replaces names of weekdays by their numbers. */
const named = (field: string) =>
  field.replace(/[a-z]+/gi, (word) => {
    const at = weekdayNames.findIndex((name) => name.toLowerCase() === word.toLowerCase())
    return at < 0 ? word : String(at + 1)
  })

/** Returns the numbers of a field with numbers and ranges, such as `1-5` or `7,19`; undefined for other forms and numbers out of range. */
function numbersIn(field: string, least: number, most: number): number[] | undefined {
  const parts = field.split(',').map((part) => /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part))
  const numbers = parts.flatMap((found) => {
    if (found === null) return [Number.NaN]
    const [from, until = from] = [Number(found[1]), found[2] === undefined ? undefined : Number(found[2])]
    return until < from ? [Number.NaN] : Array.from({ length: until - from + 1 }, (_, at) => from + at)
  })
  return numbers.every((number) => number >= least && number <= most) ? sorted(numbers) : undefined
}

/** Reads days of the month, such as `1, 15`; undefined if the text is not a list of them. */
export const daysIn = (text: string): number[] | undefined =>
  numbersIn(
    text
      .trim()
      .split(/[\s,]+/)
      .join(','),
    1,
    31,
  )

/** Returns the times with one of them changed. The others take its minutes. */
export function withTime(times: readonly string[], at: number, time: string): string[] {
  return times.map((other, index) => (index === at ? time : `${other.slice(0, 3)}${time.slice(3)}`))
}
