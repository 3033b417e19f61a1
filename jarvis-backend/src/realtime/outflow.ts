import type { Socket } from 'socket.io'

/** `isFull`: data for the client waits in this process, because the client does not read it. */
export type Outflow = { isFull(): boolean; stop(): void }

/** @param onDrain called when the client reads again */
export function watchOutflow({ conn }: Socket, onDrain: () => void): Outflow {
  let isWaiting = false
  const onPacket = () => {
    isWaiting = true
  }
  // Engine.IO emits `drain` at once when the transport is free.
  const onDrained = () => {
    isWaiting = false
    onDrain()
  }
  conn.on('packetCreate', onPacket)
  conn.on('drain', onDrained)
  return {
    isFull: () => isWaiting,
    stop() {
      conn.off('packetCreate', onPacket)
      conn.off('drain', onDrained)
    },
  }
}
