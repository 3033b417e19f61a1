/** State of a stream that lines are written to. `lost`: lines that it did not take; `problem`: why, while it takes none. */
export type LogStanding = { lost: number; problem?: string }
export type LogSink = { write(line: string): void; standing(): LogStanding }

const reasons: Readonly<Record<string, string>> = {
  EPIPE: 'whoever read it is gone',
  ENOSPC: 'its disk is full',
}

/** Writes lines to a stream. A line that the stream does not take is dropped and counted, and the next one is tried again. */
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
    standing: () => ({ lost, ...(problem !== undefined && { problem }) }),
  }
}

/** Lets a failure of stdout or stderr end nothing: without a listener its `error` would end the process. Of a program, once. */
export function surviveLostOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
