import { LogLine, LogsQuery } from 'protocol'
import { z } from 'zod'
import { createLogRing } from '../lib/log-ring.ts'
import { get, type Route } from './route.ts'

const mostKept = 500
const longest = 4_000
const weights = { debug: 20, info: 30, warn: 40, error: 50 } as const

/** Keeps the newest lines of the log. `keep` takes a line of the logger that is redacted already. */
export function createLogTail(now: () => number) {
  const ring = createLogRing<Omit<LogLine, 'id'> & { weight: number }>(mostKept)
  return {
    keep(line: string) {
      ring.add(lineOf(line, now))
    },
    /** `/api/logs`. */
    routes: (): Route[] => [
      get(
        '/logs',
        `The newest ${mostKept} lines of the log, oldest first.`,
        { role: 'owner', query: LogsQuery, reply: z.object({ items: z.array(LogLine) }) },
        ({ query: { level } }) => {
          const items = ring.lines().filter(({ weight }) => weight >= weights[level])
          return { items: items.map(({ weight: _, ...line }) => line) }
        },
      ),
    ],
  }
}

function lineOf(line: string, now: () => number): Omit<LogLine, 'id'> & { weight: number } {
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(line) as Record<string, unknown>
  } catch {
    // Redaction may have broken the JSON: the line is kept as its raw text.
    return { at: now(), level: 'info', weight: 30, message: line.slice(0, longest) }
  }
  const { level, time, msg, err, ...rest } = fields
  const weight = typeof level === 'number' ? level : 30
  const stack = (err as { stack?: unknown } | undefined)?.stack
  const detail = [
    ...(typeof stack === 'string' ? [stack] : []),
    ...(Object.keys(rest).length > 0 ? [JSON.stringify(rest)] : []),
  ].join('\n')
  const name = weight >= 50 ? 'error' : weight >= 40 ? 'warn' : weight >= 30 ? 'info' : 'debug'
  return {
    at: typeof time === 'number' ? time : now(),
    level: name,
    weight,
    message: String(msg ?? '').slice(0, longest),
    ...(detail !== '' && { detail: detail.slice(0, longest) }),
  }
}
