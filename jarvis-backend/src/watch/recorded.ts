import { fieldsOf, minuteMs, type SampleStore } from 'homelab-ports/samples'
import type { CheckPorts, Measure } from './check.ts'

/** Samples older than this are not searched, ms. */
const longestMs = 24 * 60 * minuteMs
/** Minutes without a sample that end a stretch, because the values in between are not known. */
const mostMissing = 2

/**
 * The time since which the recorded samples show a measure at or past its limit without a gap until now. @returns Unix ms; undefined if no sample
 * shows it, or the measure has no recorded figure with a limit
 */
export function recordedSince(
  { chart, isLowBad }: Pick<Measure, 'chart' | 'isLowBad'>,
  { forMs, now }: { forMs: number; now: number },
  samples: CheckPorts['samples'],
): number | undefined {
  const limit = chart?.limit
  if (chart === undefined || limit === undefined || forMs === 0) return undefined
  const values = samples(chart.series, chart.field, longestMs / minuteMs)
  let since: number | undefined
  let missing = 0
  for (let back = 0; back < values.length && missing <= mostMissing; back += 1) {
    const value = values[values.length - 1 - back]
    if (value === undefined) {
      missing += 1
      continue
    }
    if (isLowBad ? value > limit : value < limit) break
    missing = 0
    since = now - back * minuteMs
  }
  return since
}

/** Reads the newest whole minutes of the recorded samples. */
export const recordedIn =
  (store: Pick<SampleStore, 'read'>, now: () => number): CheckPorts['samples'] =>
  (series, field, minutes) => {
    const at = (fieldsOf(series) as readonly string[]).indexOf(field)
    const from = (Math.floor(now() / minuteMs) - minutes) * minuteMs
    const [found] = store.read([series], { stepMs: minuteMs, from, count: minutes })
    return found?.[1].map((values) => values[at]) ?? []
  }
