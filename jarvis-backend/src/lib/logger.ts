import { type Logger, pino } from 'pino'
import type { LogLevel } from './log-levels.ts'
import type { LogSink } from './log-sink.ts'

export type { Logger }

/**
 * Creates a logger that writes structured lines into `sink`. `redact` is applied to each whole line, so that no caller can forget it. `keep` gets
 * the redacted line.
 */
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
