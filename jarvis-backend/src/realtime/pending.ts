import type { Server as HttpServer, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Server, Socket } from 'socket.io'

/** Limits for connections without a token: number per network, number in total, bytes, and time in ms. */
const limits = { perNetwork: 30, inAll: 200, bytes: 16 * 1024, withinMs: 10_000 }

type Connection = Socket['conn']
type Waiting = { network: string; end(): void }

/**
 * Limits the connections without a token: their number, duration and size. If there are too many, the oldest one is closed. Waiting strangers
 * therefore cannot lock out a dashboard, which sends its token with its first packet.
 * @param networkOf returns the key by which connections are counted
 * @returns a function to call with the id of a connection that has sent a valid token
 */
export function boundPending(
  io: Server,
  http: HttpServer,
  networkOf: (request: IncomingMessage) => string,
): (id: string) => void {
  /** Connections without a token, oldest first. */
  const waiting = new Map<object, Waiting>()
  /** Releases the limits of a connection, by connection id. */
  const holds = new Map<string, () => void>()
  const releases = new WeakMap<object, () => void>()
  /** Marks a connection that has sent its token; there is nothing to release any more. */
  const known = () => {}

  function admit(key: object, one: Waiting) {
    waiting.set(key, one)
    const own = [...waiting.values()].filter(({ network }) => network === one.network)
    if (own.length > limits.perNetwork) own[0]?.end()
    else if (waiting.size > limits.inAll) [...waiting.values()][0]?.end()
  }

  // A WebSocket is limited from its first byte, because a stranger could send part of a large message and never the rest.
  http.on('upgrade', (request: IncomingMessage, wire: Duplex) => {
    let bytes = 0
    const end = () => wire.destroy()
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > limits.bytes) end()
    }
    const timer = setTimeout(end, limits.withinMs).unref()
    const release = () => {
      clearTimeout(timer)
      wire.off('data', count)
      waiting.delete(wire)
    }
    const sid = new URLSearchParams(request.url?.split('?', 2)[1]).get('sid')
    // An upgrade of a polling connection that has already shown its token.
    if (sid !== null && holds.get(sid) === known) {
      clearTimeout(timer)
      return
    }
    wire.on('data', count)
    wire.once('close', release)
    releases.set(wire, release)
    const before = sid === null ? undefined : holds.get(sid)
    if (sid !== null && before !== undefined) {
      holds.set(sid, () => {
        before()
        release()
      })
    }
    admit(wire, { network: networkOf(request), end })
  })
  io.engine.on('connection', (conn: Connection) => {
    const { transport, request } = conn
    const id = idOf(conn)
    const wire = request.socket
    if (transport.name === 'websocket') holds.set(id, () => releases.get(wire)?.())
    else {
      const polling = transport as unknown as { maxHttpBufferSize: number }
      const { maxHttpBufferSize } = polling
      polling.maxHttpBufferSize = limits.bytes
      holds.set(id, () => {
        polling.maxHttpBufferSize = maxHttpBufferSize
        waiting.delete(conn)
      })
      admit(conn, { network: networkOf(request), end: () => conn.close(true) })
    }
    conn.once('close', () => {
      holds.delete(id)
      waiting.delete(conn)
    })
  })
  return (id) => {
    holds.get(id)?.()
    holds.set(id, known)
  }
}

/** Returns the `sid` of a connection, which Engine.IO's types do not declare. */
export const idOf = (conn: Connection): string => (conn as unknown as { id: string }).id
