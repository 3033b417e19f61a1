import type { Server, Socket } from 'socket.io'

type Connection = Socket['conn']

/**
 * What is sent to a client at one go leaves in one write, rather than in one for each packet: a write costs more than
 * making what it carries. Over WebSocket alone; what is polled for goes out together anyway.
 */
export function writeOnce(io: Server): void {
  io.engine.on('connection', (conn: Connection) => conn.on('packetCreate', holdBack))
}

/** One function for all connections: a thousand that idle have none of their own. */
function holdBack(this: Connection) {
  const { transport } = this
  if (transport.name !== 'websocket' || !transport.writable) return
  // Engine.IO keeps packets until its transport is ready.
  transport.writable = false
  process.nextTick(release, this)
}

function release({ transport, request }: Connection) {
  request.socket.cork()
  transport.writable = true
  transport.emit('ready')
  request.socket.uncork()
}
