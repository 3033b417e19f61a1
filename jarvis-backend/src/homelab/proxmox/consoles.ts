import { StringDecoder } from 'node:string_decoder'
import { ApiError } from 'homelab-ports/failure'
import type { ConsoleGuest, Consoles, TerminalSize } from 'homelab-ports/ports'
import { JarvisError } from 'protocol'
import type { RawData, WebSocket } from 'ws'
import { z } from 'zod'
import type { Clock } from '../../lib/clock.ts'
import { guestPath } from '../pve/guest.ts'
import type { Api } from './transport.ts'

/** Maximum input that the node has not read yet, bytes. */
const maxUnreadBytes = 1024 * 1024
/** Time between pings, ms: the terminal's program ends after five minutes without any input. */
const pingMs = 30_000
/** Longest wait for the node's answer to the line with the ticket, ms. The node waits as long for that line. */
const acceptMs = 10_000

const Proxied = z.object({
  port: z.coerce.number(),
  ticket: z.string(),
  user: z.string(),
  password: z.string().optional(),
})

/** Guests' consoles over Proxmox's API: a request opens a port on the node for ten seconds, and a WebSocket connects to that port. */
export function createConsoles(api: Pick<Api, 'postAt'>, clock: Clock): Consoles {
  /** @throws ApiError */
  async function reach(guest: ConsoleGuest, proxy: 'vncproxy' | 'termproxy', signal: AbortSignal) {
    const form: Record<string, string> = proxy === 'vncproxy' ? { websocket: '1' } : {}
    const { data, dial } = await api.postAt([...guestPath(guest), proxy], form, { signal })
    const said = Proxied.safeParse(data)
    if (!said.success) {
      throw new ApiError('cluster_refused', `Proxmox answered ${proxy} with something else than a port and a ticket.`)
    }
    const { port, ticket } = said.data
    const query = { port: String(port), vncticket: ticket }
    return { ...said.data, socket: await dial([...guestPath(guest), 'vncwebsocket'], query, signal) }
  }

  return {
    async screen(guest, { signal, onOutput, onEnd }) {
      const { socket, ticket, password = ticket } = await reach(guest, 'vncproxy', signal)
      const session = sessionOf(socket, clock, { onOutput, onEnd, ping: () => socket.ping() })
      // Older versions of Proxmox return no password. There the ticket is the password.
      return { ...session, write: session.send, resize() {}, password }
    },
    async terminal(guest, { size, signal, onOutput, onEnd }) {
      const { socket, user, ticket } = await reach(guest, 'termproxy', signal)
      const first = await accepted(socket, `${user}:${ticket}\n`, { clock, signal })
      const decoder = new StringDecoder()
      const session = sessionOf(socket, clock, {
        onOutput: (data) => onOutput(decoder.write(data)),
        onEnd,
        ping: () => socket.send('2'),
      })
      const resize = ({ cols, rows }: TerminalSize) => session.send(Buffer.from(`1:${cols}:${rows}:`))
      resize(size)
      if (first.length > 0) session.take(first)
      return {
        ...session,
        resize,
        write(text) {
          const data = Buffer.from(text)
          session.send(Buffer.concat([Buffer.from(`0:${data.length}:`), data]))
        },
      }
    },
  }
}

type Waiting = { clock: Clock; signal: AbortSignal }

/** Sends the line with the ticket, and waits for "OK". @returns the bytes after the "OK" @throws ApiError `cluster_refused` */
function accepted(socket: WebSocket, line: string, { clock, signal }: Waiting): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let said = Buffer.alloc(0)
    const end = (settle: () => void) => {
      disarm()
      signal.removeEventListener('abort', onAbort)
      socket.off('message', onMessage)
      socket.off('close', refused)
      settle()
    }
    const fail = (error: unknown) => {
      end(() => reject(error))
      socket.terminate()
    }
    const onAbort = () => fail(signal.reason)
    const refused = () =>
      fail(
        new ApiError(
          'cluster_refused',
          'The container’s terminal refused the ticket. A proxmox-termproxy older than 2.0.3 (November 2025) takes none of an API token: update the node.',
        ),
      )
    const onMessage = (data: RawData) => {
      said = Buffer.concat([said, bytesOf(data)])
      if (said.length < 2) return
      if (said.subarray(0, 2).toString() !== 'OK') return refused()
      socket.pause()
      end(() => resolve(said.subarray(2)))
    }
    const disarm = clock.after(acceptMs, () =>
      fail(new ApiError('cluster_unreachable', `The container’s terminal did not answer within ${acceptMs / 1000} s.`)),
    )
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('message', onMessage)
    socket.once('close', refused)
    socket.send(line)
  })
}

/** Wraps a socket so that no message is delivered while it is paused, not even one that has already arrived. */
function sessionOf(
  socket: WebSocket,
  clock: Clock,
  on: { onOutput(data: Buffer): void; onEnd(reason?: string): void; ping(): void },
) {
  const held: Buffer[] = []
  let isHeld = true
  let isOver = false
  function release() {
    for (let next = held.shift(); next !== undefined; next = held.shift()) {
      on.onOutput(next)
      if (isHeld) return
    }
  }
  function take(data: Buffer) {
    held.push(data)
    if (!isHeld) release()
  }
  let disarm = () => {}
  const pingLater = () => {
    disarm = clock.after(pingMs, () => {
      if (socket.readyState === socket.OPEN) on.ping()
      pingLater()
    })
  }
  function end(reason?: string) {
    if (isOver) return
    isOver = true
    disarm()
    socket.terminate()
    on.onEnd(reason)
  }
  pingLater()
  socket.pause()
  socket.on('message', (data) => take(bytesOf(data)))
  socket.on('close', () => {
    for (const data of held.splice(0)) on.onOutput(data)
    end('Proxmox closed it')
  })
  return {
    take,
    send(data: Uint8Array) {
      if (socket.bufferedAmount > maxUnreadBytes) {
        throw new JarvisError(
          'too_many_requests',
          'The guest’s console does not read what is typed. Wait, or close it.',
        )
      }
      if (socket.readyState === socket.OPEN) socket.send(data)
    },
    pause() {
      isHeld = true
      if (socket.readyState === socket.OPEN) socket.pause()
    },
    resume() {
      if (isOver) return
      isHeld = false
      release()
      if (!isHeld && socket.isPaused) socket.resume()
    },
    close: () => end(),
  }
}

const bytesOf = (data: RawData): Buffer =>
  Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data)
