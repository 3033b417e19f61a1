import { LogLine, LogsQuery } from 'protocol'
import { z } from 'zod'
import { type Route, route } from './route.ts'

const weights = { debug: 20, info: 30, warn: 40, error: 50 } as const

/** `/api/logs`: the newest lines of the log, at most `mostKept`. `weight`: pino's level. */
export function logRoutes(tail: { lines(): (LogLine & { weight: number })[] }, mostKept: number): Route[] {
  const found = ({ level, q = '' }: LogsQuery): LogLine[] => {
    const wanted = q.toLowerCase()
    return tail
      .lines()
      .filter(
        ({ weight, message, detail = '' }) =>
          weight >= weights[level] && `${message}\n${detail}`.toLowerCase().includes(wanted),
      )
      .map(({ weight: _, ...line }) => line)
  }
  return [
    route('/logs').get(
      `The newest ${mostKept} lines of the log, oldest first. \`q\`: only lines with this text.`,
      { role: 'owner', query: LogsQuery, reply: z.object({ items: z.array(LogLine) }) },
      ({ query }) => ({ items: found(query) }),
    ),
    route('/logs/export').get(
      'The same lines as a text file.',
      { role: 'owner', query: LogsQuery, media: ['text/plain'] },
      ({ query, response }) => {
        response.attachment('jarvis.log').type('text/plain').send(found(query).map(lineOf).join(''))
      },
    ),
  ]
}

const lineOf = ({ at, level, message, detail }: LogLine): string =>
  `${new Date(at).toISOString()} ${level.padEnd(5)} ${[message, ...(detail?.split('\n') ?? [])].join('\n  ')}\n`
