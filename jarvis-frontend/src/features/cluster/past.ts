import type { SampleField, SampleRange, SamplesReply } from 'protocol'
import { readSamples } from '../../api/samples.ts'
import { useLoad } from '../../api/use-load.ts'
import { useNow } from '../../ui/use-now.ts'

export const ranges: readonly SampleRange[] = ['1h', '24h', '7d']
export const rangeWord: Record<SampleRange, string> = { '1h': '1 h', '24h': '24 h', '7d': '7 d' }

/** The samples of one field of one object, oldest first; undefined is a gap. `from`: Unix ms. */
export type Line = { from: number; stepMs: number; values: readonly (number | undefined)[] }

export function lineOf(reply: SamplesReply | undefined, name: string, field: SampleField): Line | undefined {
  const values = reply?.items.find((item) => item.name === name)?.values[field]
  if (reply === undefined || values === undefined) return undefined
  return { from: reply.from, stepMs: reply.stepMs, values: values.map((value) => value ?? undefined) }
}

/** Reads the samples of some objects, again every minute. */
export function usePast(names: readonly string[], range: SampleRange) {
  const minute = Math.floor(useNow(60_000) / 60_000)
  const load = useLoad(`samples ${names.join(',')} ${range} ${minute}`, () => readSamples(names, range), [
    'connect',
    'samples',
  ])
  return { reply: load.data, problem: load.problem }
}

export const known = (line: Line | undefined): number[] =>
  line === undefined ? [] : line.values.filter((value) => value !== undefined)

/** Minimum growth for a forecast, ratio a day. */
const leastADay = 0.0005
const dayMs = 86_400_000

/**
 * Returns the days until a line of ratios reaches 1, if it grows as during the shown time. Undefined if it does not grow, would take over a year, or
 * covers less than six hours.
 */
export function daysLeft(line: Line | undefined): number | undefined {
  if (line === undefined) return undefined
  const points = line.values.flatMap((value, at) => (value === undefined ? [] : [[at, value] as const]))
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return undefined
  if ((last[0] - first[0]) * line.stepMs < dayMs / 4) return undefined
  const meanAt = points.reduce((sum, [at]) => sum + at, 0) / points.length
  const mean = points.reduce((sum, [, value]) => sum + value, 0) / points.length
  const spread = points.reduce((sum, [at]) => sum + (at - meanAt) ** 2, 0)
  const rise = points.reduce((sum, [at, value]) => sum + (at - meanAt) * (value - mean), 0)
  const aDay = (rise / spread) * (dayMs / line.stepMs)
  if (aDay < leastADay) return undefined
  const days = (1 - last[1]) / aDay
  return days > 365 ? undefined : Math.max(0, days)
}

/** Returns since when a line has been at or above `limit`, Unix ms. Undefined if it is below the limit now, or was above it all the time. */
export function overSince(line: Line | undefined, limit: number): number | undefined {
  if (line === undefined) return undefined
  let since: number | undefined
  for (let at = line.values.length - 1; at >= 0; at -= 1) {
    const value = line.values[at]
    if (value === undefined) continue
    if (value < limit) return since
    since = line.from + at * line.stepMs
  }
  return undefined
}

/** The median of a line's known values. */
export function usual(line: Line | undefined): number | undefined {
  const sorted = known(line).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
