import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A magic packet: six times 0xff, then sixteen times the address. @param mac `aa:bb:cc:dd:ee:01` */
export function magicPacket(mac: string): Buffer {
  const address = Buffer.from(mac.replaceAll(':', ''), 'hex')
  return Buffer.concat([Buffer.alloc(6, 0xff), ...Array.from({ length: 16 }, () => address)])
}

/** Sends one datagram, also to a broadcast address. @throws the system's error */
export async function sendDatagram(packet: Buffer, target: { address: string; port: number }): Promise<void> {
  const socket = createSocket('udp4')
  try {
    await once(socket.bind(0), 'listening')
    socket.setBroadcast(true)
    await new Promise<void>((resolve, reject) => {
      socket.send(packet, target.port, target.address, (error) => (error === null ? resolve() : reject(error)))
    })
  } finally {
    socket.close()
  }
}
