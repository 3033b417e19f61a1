import type { Socket } from 'socket.io'

/** What was sent to a client and still waits here, because it does not take it. */
export type Outflow = { isFull(): boolean; stop(): void }

/** @param onDrain the client takes more again. */
export function watchOutflow({ conn }: Socket, onDrain: () => void): Outflow {
  let isWaiting = false
  const onPacket = () => {
    isWaiting = true
  }
  // Comes at once after the packet where the transport is free.
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
