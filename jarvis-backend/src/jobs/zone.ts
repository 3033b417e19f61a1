/** Converts instants to local time. @returns a function from Unix ms to the zone's local time, encoded as if it were UTC: read it with `getUTC…` */
export function wallClock(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    ...({ year: 'numeric', month: 'numeric', day: 'numeric' } as const),
    ...({ hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const),
  })
  return (at) => {
    const parts: Record<string, number> = {}
    for (const { type, value } of format.formatToParts(at)) parts[type] = Number(value)
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) + (at % 1000)
  }
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** A change of a zone's clocks. `at`: the first instant after the change, Unix ms. `byMs`: the shift; negative if the clocks go back. */
export type ClockChange = { at: number; byMs: number }

/** The first change of the clocks after `from` and up to `until`; undefined if there is none. Searches in steps of a day. */
export function nextClockChange(zone: string, from: number, until: number): ClockChange | undefined {
  const wall = wallClock(zone)
  const offset = (at: number) => wall(at) - at
  const start = from - (from % minuteMs)
  for (let day = start; day < until; day += dayMs) {
    const before = offset(day)
    if (offset(day + dayMs) === before) continue
    let [low, high] = [day, day + dayMs]
    while (high - low > minuteMs) {
      const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs
      if (offset(middle) === before) low = middle
      else high = middle
    }
    return high > until ? undefined : { at: high, byMs: offset(high) - before }
  }
  return undefined
}

/** The last midnight of the zone's local time, Unix ms. */
export function midnightOf(zone: string, at: number): number {
  const wall = wallClock(zone)
  const now = wall(at)
  const about = at - (now % dayMs)
  // The clocks may have changed since midnight, so the offset at midnight is used.
  return about - (wall(about) - about - (now - at))
}
