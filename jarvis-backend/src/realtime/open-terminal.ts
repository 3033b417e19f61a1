import type { TerminalSession, TerminalSize } from 'homelab-ports/ports'
import { JarvisError } from 'protocol'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'

const idleMs = 30 * 60_000

/** Text of a shell, or bytes of a screen. */
export type Typed = string | Uint8Array

export type Terminal = {
  id: string
  type(data: Typed): void
  resize(size: TerminalSize): void
  pause(): void
  resume(): void
  /** Ends the shell now. @param reason one line for a person */
  end(reason: string): void
}

/** The end of a terminal. `code`: the exit code, if the shell ended by itself. `reason`: otherwise, why it ended. */
export type TerminalEnd = { code?: number; reason?: string }

/**
 * Opens a shell or a screen, and records its beginning and end: person, place, duration and number of bytes. Input and output are never recorded,
 * because both may contain passwords. The terminal ends after half an hour without input.
 * @param asked.where the journal's fields for the place
 * @param asked.isFromPerson returns true if input shows that a person is present; default: all input does
 * @param asked.onEnd called once, and only for a terminal that was opened
 * @throws the error of opening, after it was recorded
 */
export async function openTerminal<Session extends TerminalSession<Typed>>(
  parts: {
    clock: Clock
    /** Writes to the journal. The entry is on disk when this returns. */
    record(body: Record<string, unknown>): void
    report(error: unknown, message: string): void
  },
  asked: {
    where: Record<string, unknown>
    by: string
    open(on: { onOutput(data: Typed): void; onEnd(how: TerminalEnd): void }): Promise<Session>
    isFromPerson?(data: Typed): boolean
    onOutput(id: string, data: Typed): void
    onEnd(id: string, end: TerminalEnd): void
  },
): Promise<{ terminal: Terminal; session: Session }> {
  const { clock, record } = parts
  const { where, by, isFromPerson = () => true } = asked
  const id = newId('trm')
  const openedAt = clock.now()
  const bytes = { in: 0, out: 0 }
  let state: 'opening' | 'open' | 'over' = 'opening'
  let disarm = () => {}
  const note = (event: string, more: Record<string, unknown> = {}) =>
    record({ event, terminalId: id, ...where, by, ...more })

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
  const session = await asked
    .open({
      onOutput(data) {
        if (state === 'over') return
        bytes.out += Buffer.byteLength(data)
        asked.onOutput(id, data)
      },
      onEnd: finish,
    })
    .catch((error: unknown) => {
      finish({ reason: error instanceof JarvisError ? error.message : 'it failed' })
      throw error
    })
  // The shell may have ended during the awaits above.
  if ((state as string) === 'over')
    throw new JarvisError('cluster_unreachable', 'The terminal was opened and ended at once. Try again.')
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
  const terminal: Terminal = {
    id,
    type(data) {
      const length = Buffer.byteLength(data)
      // The bytes are counted before they are written, because the input may end the shell at once.
      bytes.in += length
      try {
        session.write(data)
      } catch (error) {
        bytes.in -= length
        throw error
      }
      if (state === 'open' && isFromPerson(data)) awaitInput()
    },
    resize: session.resize,
    pause: session.pause,
    resume: session.resume,
    end,
  }
  return { terminal, session }
}
