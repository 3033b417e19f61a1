import type { TerminalSize, Terminals } from '../homelab/ports.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { JarvisError } from '../protocol/index.ts'

const idleMs = 30 * 60_000

export type Terminal = {
  id: string
  type(data: string): void
  resize(size: TerminalSize): void
  pause(): void
  resume(): void
  /** Ends the shell now. @param reason one line for a person */
  end(reason: string): void
}

/** `code`: the exit code, where the shell ended by itself. `reason`: why it ended otherwise. */
export type TerminalEnd = { code?: number; reason?: string }

/**
 * Opens a shell and records its beginning and end: who, where, how long, how many bytes. Input and output are never recorded, because both may hold
 * passwords. The shell ends after half an hour without input.
 * @param asked.onEnd called once, and only for a terminal that was opened
 * @throws what opening throws, after recording it
 */
export async function openTerminal(
  parts: {
    terminals: Terminals
    clock: Clock
    /** Writes to the journal, on disk before it returns. */
    record(body: Record<string, unknown>): void
    report(error: unknown, message: string): void
  },
  asked: {
    node: string
    size: TerminalSize
    by: string
    signal: AbortSignal
    onOutput(id: string, data: string): void
    onEnd(id: string, end: TerminalEnd): void
  },
): Promise<Terminal> {
  const { clock, record } = parts
  const { node, size, by, signal } = asked
  const id = newId('trm')
  const openedAt = clock.now()
  const bytes = { in: 0, out: 0 }
  let state: 'opening' | 'open' | 'over' = 'opening'
  let disarm = () => {}
  const note = (event: string, more: Record<string, unknown> = {}) =>
    record({ event, terminalId: id, node, by, ...more })

  function finish(how: TerminalEnd) {
    if (state === 'over') return
    const wasOpen = state === 'open'
    state = 'over'
    disarm()
    if (wasOpen) asked.onEnd(id, how)
    try {
      note('closed', { ...how, durationMs: clock.now() - openedAt, bytesIn: bytes.in, bytesOut: bytes.out })
    } catch (error) {
      parts.report(error, 'the end of a terminal was not recorded')
    }
  }

  note('opening')
  const session = await parts.terminals
    .open(node, {
      size,
      signal,
      onOutput(data) {
        if (state === 'over') return
        bytes.out += Buffer.byteLength(data)
        asked.onOutput(id, data)
      },
      onEnd: (code) => finish(code === undefined ? {} : { code }),
    })
    .catch((error: unknown) => {
      finish({ reason: error instanceof JarvisError ? error.message : 'it failed' })
      throw error
    })
  // The shell may have ended while the code above waited.
  if ((state as string) === 'over') throw new JarvisError('cluster_unreachable', `The shell on ${node} ended at once.`)
  state = 'open'

  function end(reason: string) {
    finish({ reason })
    session.close()
  }
  function awaitInput() {
    disarm()
    disarm = clock.after(idleMs, () => end(`no input for ${idleMs / 60_000} minutes`))
  }
  awaitInput()
  return {
    id,
    type(data) {
      session.write(data)
      bytes.in += Buffer.byteLength(data)
      awaitInput()
    },
    resize: session.resize,
    pause: session.pause,
    resume: session.resume,
    end,
  }
}
