import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

/** A network between the browser and the server, that can be cut. */
export async function openGate(target: string) {
  const { port, hostname } = new URL(target)
  const wires = new Set<Socket>()
  let isCut = false
  const server = createServer((wire) => {
    if (isCut) {
      wire.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    for (const end of [wire, far]) {
      wires.add(end)
      end.on('error', () => undefined)
      end.on('close', () => {
        wires.delete(end)
        wire.destroy()
        far.destroy()
      })
    }
    wire.pipe(far).pipe(wire)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true
      for (const wire of wires) wire.destroy()
    },
    mend() {
      isCut = false
    },
    async close() {
      const closed = new Promise((done) => server.close(done))
      for (const wire of wires) wire.destroy()
      await closed
    },
  }
}
