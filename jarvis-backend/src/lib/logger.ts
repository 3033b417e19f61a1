import { type Logger, pino } from 'pino'
import type { LogLevel } from './log-levels.ts'

export type { Logger }

/** Structured logs on stdout. `redact` is applied to each whole line, so no call can forget it; `keep` gets it after that. */
export const createLogger = (
  level: LogLevel,
  redact: (line: string) => string,
  keep: (line: string) => void = () => {},
): Logger =>
  pino(
    { level, base: null },
    {
      write(line: string) {
        const shown = redact(line)
        process.stdout.write(shown)
        keep(shown)
      },
    },
  )
