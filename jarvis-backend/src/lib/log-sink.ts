/**
 * The state of a stream to which lines are written. `lost`: the number of lines that could not be written. `problem`: the reason, while writing
 * fails.
 */
export type LogStanding = { lost: number; problem?: string }
export type LogSink = { write(line: string): void; standing(): LogStanding }

const reasons: Readonly<Record<string, string>> = {
  EPIPE: 'whoever read it is gone',
  ENOSPC: 'its disk is full',
}

/** Writes lines to a stream. A line that cannot be written is dropped and counted, and the next line is tried again. */
export function createLogSink(stream: NodeJS.WritableStream): LogSink {
  let lost = 0
  let problem: string | undefined
  function came(error: NodeJS.ErrnoException | null | undefined) {
    if (error === undefined || error === null) {
      problem = undefined
      return
    }
    lost += 1
    problem = reasons[error.code ?? ''] ?? error.message
  }
  return {
    write(line) {
      try {
        stream.write(line, came)
      } catch (error) {
        came(error as NodeJS.ErrnoException)
      }
    },
    standing: () => ({ lost, problem }),
  }
}

/** Keeps the process alive when stdout or stderr fails. Without a listener their `error` event would end the process. Call it once. */
export function surviveLostOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
