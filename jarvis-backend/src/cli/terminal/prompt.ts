import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/** The terminal, at which a person types. */
export type Prompt = {
  /**
   * Reads the next line. Text that was typed ahead counts. @param isFresh drops text that was typed ahead, so that no earlier key decides @returns
   * undefined if the input ended or the signal aborted
   */
  line(prompt: string, options?: { isFresh?: true; signal?: AbortSignal }): Promise<string | undefined>
  /** Reads a line without showing it. Text that was typed ahead never counts. */
  secret(prompt: string): Promise<string | undefined>
  /** Calls `run` at each Ctrl-C. */
  onInterrupt(run: () => void): void
  close(): void
}

export const isTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Reads from a terminal and shows typed text. It has no history, because a history would keep secrets. */
export function createPrompt(
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stdout,
): Prompt {
  let isMuted = false
  let isClosed = false
  const typedAhead: string[] = []
  let waiting: ((line: string | undefined) => void) | undefined
  let interrupted = () => {}
  const shown = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) output.write(chunk)
      done()
    },
  })
  const lines = createInterface({ input, output: shown, terminal: true, historySize: 0 })
  lines.on('line', (line) => {
    if (waiting === undefined) typedAhead.push(line)
    else give(line)
  })
  lines.on('SIGINT', () => interrupted())
  lines.on('close', () => {
    isClosed = true
    give(undefined)
  })
  function give(line: string | undefined) {
    const take = waiting
    waiting = undefined
    take?.(line)
  }

  const line: Prompt['line'] = (prompt, { isFresh, signal } = {}) => {
    if (isFresh === true) typedAhead.length = 0
    const ready = typedAhead.shift()
    if (ready !== undefined) {
      output.write(`${prompt}${ready}\n`)
      return Promise.resolve(ready)
    }
    if (isClosed || signal?.aborted === true) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const onAbort = () => give(undefined)
      signal?.addEventListener('abort', onAbort, { once: true })
      waiting = (given) => {
        signal?.removeEventListener('abort', onAbort)
        resolve(given)
      }
      lines.setPrompt(prompt)
      lines.prompt()
    })
  }

  return {
    line,
    async secret(prompt) {
      output.write(prompt)
      isMuted = true
      try {
        return await line('', { isFresh: true })
      } finally {
        isMuted = false
        output.write('\n')
      }
    },
    onInterrupt(run) {
      interrupted = run
    },
    close: () => lines.close(),
  }
}
