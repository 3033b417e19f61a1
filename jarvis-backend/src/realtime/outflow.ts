import type { Socket } from 'socket.io'

/** Watches the data for one client. `isFull`: true if data waits in this process, because the client does not read it. */
export type Outflow = { isFull(): boolean; stop(): void }

/** @param onDrain called when the client has read the waiting data */
export function watchOutflow({ conn }: Socket, onDrain: () => void): Outflow {
  let isWaiting = false
  const onPacket = () => {
    isWaiting = true
  }
  // Engine.IO emits `drain` without delay if the transport is free.
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
