import { createGrowingRedactor, type GrowingRedactor } from 'redaction/growing'
import type { LogLevel } from '../lib/log-levels.ts'
import { createLogSink, type LogStanding } from '../lib/log-sink.ts'
import { createLogger, type Logger } from '../lib/logger.ts'
import { LogTail } from './log-tail.ts'

/** The log of one site, on standard output. Each line is redacted by the secrets that the site knows at that time. */
export class SiteLog {
  /** Redacts the secrets of this site. Each part adds a secret as soon as it learns the secret. */
  readonly redactor: GrowingRedactor
  /** The newest lines, redacted. */
  readonly tail: LogTail
  readonly #sink = createLogSink(process.stdout)
  readonly #logger: Logger

  constructor({ level, secrets, now }: { level: LogLevel; secrets: readonly string[]; now: () => number }) {
    this.redactor = createGrowingRedactor(secrets)
    this.tail = new LogTail(now)
    this.#logger = createLogger(level, this.#sink, {
      redact: this.redactor.text,
      keep: (line) => this.tail.keep(line),
    })
  }

  write(text: string, level: 'info' | 'warning'): void {
    this.#logger[level === 'info' ? 'info' : 'warn'](text)
  }

  /** Writes an error with its stack and causes. */
  report(error: unknown, message: string): void {
    this.#logger.error({ err: error }, message)
  }

  /** Adds a secret that became known at run time to the redactor. */
  hide(secret: string): void {
    this.redactor.add([secret])
  }

  /** Returns the number of lines that standard output did not take. */
  standing(): LogStanding {
    return this.#sink.standing()
  }
}
