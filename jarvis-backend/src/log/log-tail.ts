import type { LogLine } from 'protocol'
import { createLogRing } from '../lib/log-ring.ts'

/** How many lines of the log are kept in memory. */
export const mostKept = 500
/** Longest message and longest detail that are kept, characters. */
const longest = 4_000

/** A line of the log. `weight`: pino's level, 10 to 60. */
export type WeighedLine = LogLine & { weight: number }

/** Keeps the newest lines of the log in memory. */
export class LogTail {
  readonly #ring = createLogRing<Omit<WeighedLine, 'id'>>(mostKept)
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** @param line a line of pino in JSON, already redacted */
  keep(line: string): void {
    this.#ring.add(lineOf(line, this.#now))
  }

  /** Oldest first. */
  lines(): WeighedLine[] {
    return this.#ring.lines()
  }
}

function lineOf(line: string, now: () => number): Omit<WeighedLine, 'id'> {
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
