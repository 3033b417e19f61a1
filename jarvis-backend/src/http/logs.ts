import { LogLine, LogsQuery } from 'protocol'
import { z } from 'zod'
import { type Route, route } from './route.ts'

const weights = { debug: 20, info: 30, warn: 40, error: 50 } as const

/** `/api/logs`: the newest lines of the log, at most `mostKept`. `weight`: pino's level. */
export const logRoutes = (tail: { lines(): (LogLine & { weight: number })[] }, mostKept: number): Route[] => [
  route('/logs').get(
    `The newest ${mostKept} lines of the log, oldest first.`,
    { role: 'owner', query: LogsQuery, reply: z.object({ items: z.array(LogLine) }) },
    ({ query: { level } }) => {
      const items = tail.lines().filter(({ weight }) => weight >= weights[level])
      return { items: items.map(({ weight: _, ...line }) => line) }
    },
  ),
]
