import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { borrowCertificate, returnCertificate } from 'fake-proxmox/server/certificates'
import { onTestFinished } from 'vitest'

/** The headers that a proxy makes. `upstream`: host and port of JARVIS. */
export type Rewrite = (asked: IncomingMessage, upstream: string) => Record<string, string>

/**
 * Ends TLS on loopback and passes requests and upgrades on over plain HTTP, until the test ends. The client's own headers go through, as those of
 * nginx do; `rewrite` adds and replaces some.
 */
export async function startTlsProxy(rewrite: () => Rewrite) {
  const certificate = await borrowCertificate()
  let upstream = ''
  const options = (asked: IncomingMessage) => {
    const [host, port] = upstream.split(':')
    const headers = { ...asked.headers, ...rewrite()(asked, upstream) }
    return { host, port, method: asked.method, path: asked.url, headers }
  }
  const server = createServer(certificate, (asked, reply) => {
    const passed = request(options(asked), (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(reply)
    })
    passed.on('error', () => reply.destroy())
    asked.pipe(passed)
  })
  server.on('upgrade', (asked, socket, head) => {
    const passed = request(options(asked))
    const end = () => socket.destroy()
    passed.on('error', end)
    socket.on('error', () => passed.destroy())
    passed.on('response', (answer) => {
      socket.end(`HTTP/1.1 ${answer.statusCode} Refused\r\nConnection: close\r\n\r\n`)
      answer.resume()
    })
    passed.on('upgrade', (answer, inner, first) => {
      const lines = Array.from({ length: answer.rawHeaders.length / 2 }, (_, at) =>
        answer.rawHeaders.slice(at * 2, at * 2 + 2).join(': '),
      )
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`)
      socket.write(first)
      inner.write(head)
      inner.on('error', end)
      inner.pipe(socket).pipe(inner)
    })
    passed.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
    returnCertificate(certificate)
  })
  return {
    port: (server.address() as AddressInfo).port,
    /** @param url of JARVIS, over plain HTTP */
    leadTo(url: string) {
      upstream = new URL(url).host
    },
  }
}
