import type { SampleRange, SamplesReply } from 'protocol'
import { readSamples } from '../../api/samples.ts'
import { useLoad } from '../../api/use-load.ts'
import { celsius, percent, plural, span, timeOfDay } from '../../lib/format.ts'
import type { Issue } from './health.ts'
import { daysLeft, lineOf, overSince, usual } from './past.ts'

const dayMs = 86_400_000
const mostSeries = 16

/** Returns a text for an issue from the stored samples: its start, the usual value, or the days left. */
export function useIssuePast(issues: readonly Issue[]): (issue: Issue) => string | undefined {
  const series = (isStorage: boolean) =>
    issues
      .flatMap(({ past }) => (past !== undefined && (past.field === 'usedRatio') === isStorage ? [past.series] : []))
      .slice(0, mostSeries)
  const [figures, storages] = [series(false), series(true)]
  const day = useSeries(figures, '24h')
  const week = useSeries(storages, '7d')
  return (issue) => pastOf(issue, issue.past?.field === 'usedRatio' ? week : day, Date.now())
}

const useSeries = (names: readonly string[], range: SampleRange) =>
  useLoad(
    `samples of issues ${names.join()} ${range}`,
    names.length > 0 ? () => readSamples(names, range) : undefined,
    ['connect', 'samples'],
  ).data

/** `about 12 days`, `about 7 h`. */
export const aboutDays = (days: number) => `about ${days >= 2 ? plural(Math.floor(days), 'day') : span(days * dayMs)}`

/**
 * Describes the past of a value: `since 02:33, usually 58 °C` or `about 12 days`. If the samples do not show the start, the issue's own `since` is
 * used.
 */
export function pastOf({ past, since: seen }: Issue, reply: SamplesReply | undefined, now: number): string | undefined {
  const sinceWords = (at: number | undefined) =>
    at === undefined ? undefined : now - at < dayMs ? `since ${timeOfDay(at)}` : `for ${span(now - at)}`
  if (past === undefined) return sinceWords(seen)
  const line = lineOf(reply, past.series, past.field)
  if (past.field === 'usedRatio') {
    const days = daysLeft(line)
    return days === undefined ? undefined : aboutDays(days)
  }
  const since = overSince(line, past.limit) ?? seen
  const middle = usual(line)
  const isUnusual = middle !== undefined && middle < past.limit
  const words = [
    sinceWords(since),
    isUnusual ? `usually ${past.field === 'temperatureC' ? celsius(middle) : percent(middle)}` : undefined,
  ].filter((word) => word !== undefined)
  return words.length === 0 ? undefined : words.join(', ')
}
