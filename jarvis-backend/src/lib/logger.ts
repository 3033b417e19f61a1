import { type Logger, pino } from 'pino'
import type { LogLevel } from './log-levels.ts'
import type { LogSink } from './log-sink.ts'

export type { Logger }

/** Structured logs into `sink`. `redact` is applied to each whole line, so no call can forget it; `keep` gets it after that. */
export const createLogger = (
  level: LogLevel,
  sink: Pick<LogSink, 'write'>,
  { redact, keep }: { redact(line: string): string; keep(line: string): void },
): Logger =>
  pino(
    { level, base: null },
    {
      write(line: string) {
        const shown = redact(line)
        sink.write(shown)
        keep(shown)
      },
    },
  )
