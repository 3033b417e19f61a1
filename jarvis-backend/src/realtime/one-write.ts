import type { Server } from 'socket.io'

/**
 * What is sent to a client at one go leaves in one write, rather than in one for each packet: a write costs more than
 * making what it carries. Over WebSocket alone; what is polled for goes out together anyway.
 */
export function writeOnce(io: Server): void {
  io.engine.on('connection', (conn) => {
    conn.on('packetCreate', () => {
      const { transport } = conn
      if (transport.name !== 'websocket' || !transport.writable) return
      // Engine.IO keeps packets until its transport is ready.
      transport.writable = false
      process.nextTick(() => {
        const tcp = conn.request.socket
        tcp.cork()
        transport.writable = true
        transport.emit('ready')
        tcp.uncork()
      })
    })
  })
}
