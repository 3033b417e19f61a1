import type { TerminalEvents, TerminalReplies, TerminalRequests } from 'protocol'
import { Manager } from 'socket.io-client'
import { packets } from '../lib/packets.ts'

type Refusal = { ok: false; error: { code: string; message: string } }
export type TerminalEnd = Omit<TerminalEvents['terminal:exit'], 'terminalId'>

export type Shell = {
  /** Set for a VM's screen, which sends bytes of the RFB protocol. `password`: the password for RFB. */
  screen?: { password?: string }
  /** Sends input. @param data bytes for a screen, otherwise text */
  type(data: string | Uint8Array): void
  resize(size: { cols: number; rows: number }): void
  close(): void
}

const patienceMs = 30_000
/** Maximum size of one packet, in UTF-16 units or bytes. */
const mostChars = 16_000

/**
 * Opens a shell on a node, or a guest's console, over its own connection. The connection closes with the shell.
 * @param asked.withPassword repeats a request that was refused with `step_up_required` after the person gave the password
 * @param on.end called once, for any reason that ended the shell. @throws Error with a sentence for a person.
 */
export async function openShell(
  asked: {
    token: string
    withPassword<T>(attempt: () => Promise<T>): Promise<T>
  } & TerminalRequests['terminal:open'],
  on: { output(data: string): void; screen?(data: ArrayBuffer): void; end(end: TerminalEnd): void },
): Promise<Shell> {
  const { token, withPassword, ...request } = asked
  const manager = new Manager(location.origin, {
    reconnection: false,
    transports: ['websocket', 'polling'],
    tryAllTransports: true,
  })
  const socket = manager.socket('/terminal', { auth: { token } })
  const ask = <Name extends keyof TerminalRequests>(
    name: Name,
    payload: TerminalRequests[Name],
  ): Promise<({ ok: true } & TerminalReplies[Name]) | Refusal> =>
    socket
      .timeout(patienceMs)
      .emitWithAck(name, payload)
      .catch(() => {
        throw new Error('No answer came. The shell was not opened.')
      })
  let isOver = false
  const end = (how: TerminalEnd) => {
    if (isOver) return
    isOver = true
    socket.disconnect()
    on.end(how)
  }
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('connect_error', (error: Error & { data?: { message?: string } }) =>
        reject(new Error(error.data?.message ?? 'JARVIS could not be reached.')),
      )
    })
    socket.on('terminal:output', ({ data }: TerminalEvents['terminal:output']) => on.output(data))
    // Acknowledge each packet after it was drawn: the server sends no more until then.
    socket.on('terminal:screen', ({ data }: { data: ArrayBuffer }, drawn: () => void) => {
      on.screen?.(data)
      drawn()
    })
    socket.on('terminal:exit', ({ terminalId: _, ...how }: TerminalEvents['terminal:exit']) => end(how))
    const reply = await withPassword(async () => {
      const reply = await ask('terminal:open', request)
      if (!reply.ok) throw Object.assign(new Error(reply.error.message), { code: reply.error.code })
      return reply
    })
    const { terminalId, screen } = reply
    socket.on('disconnect', () => end({ reason: 'The connection was lost.' }))
    return {
      screen,
      type(data) {
        for (const part of typeof data === 'string' ? packets(data, mostChars) : pieces(data)) {
          socket.emit('terminal:input', { terminalId, data: part }, (reply: Refusal) => {
            if (!reply.ok) end({ reason: reply.error.message })
          })
        }
      },
      resize: (size) => void socket.emit('terminal:resize', { terminalId, ...size }, () => {}),
      close: () => end({ reason: 'closed' }),
    }
  } catch (error) {
    socket.disconnect()
    throw error
  }
}

function pieces(data: Uint8Array): Uint8Array[] {
  const count = Math.ceil(data.length / mostChars)
  return Array.from({ length: count }, (_, i) => data.slice(i * mostChars, (i + 1) * mostChars))
}
