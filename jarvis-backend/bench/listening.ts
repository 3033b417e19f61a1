import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on a free port of loopback and says so the way JARVIS does. */
export function listening(name: string, server: Server) {
  server.listen(0, '127.0.0.1', () => {
    console.log(`${name} is at http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  })
  process.on('SIGTERM', () => process.exit())
}
