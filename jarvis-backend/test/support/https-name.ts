import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { createServer as createTls } from 'node:tls'
import { borrowCertificate, returnCertificate } from 'fake-proxmox/server/certificates'
import { onTestFinished } from 'vitest'

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/**
 * Serves a server on this machine at a name over https, and another service at port 8443 of the same name, to whoever comes by the proxy.
 * @param url of the server, over plain http @param other answers at the other port
 * @returns the address of the proxy, for a browser's context
 */
export async function atHttpsName(name: string, url: string, other: RequestListener): Promise<string> {
  const certificate = await borrowCertificate()
  onTestFinished(() => returnCertificate(certificate))
  const front = createTls(certificate, (socket) => {
    const inner = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [from, to] of [[socket, inner] as const, [inner, socket] as const]) {
      from.on('error', () => to.destroy())
      from.pipe(to)
    }
  })
  const ports: Record<string, number> = {
    [`${name}:443`]: await portOf(front),
    [`${name}:8443`]: await portOf(createHttps(certificate, other)),
  }
  const proxy = createHttp()
  proxy.on('connect', ({ url: wanted = '' }, socket, head) => {
    const port = ports[wanted]
    socket.on('error', () => {})
    if (port === undefined) {
      socket.end('HTTP/1.1 502 Unknown\r\n\r\n')
      return
    }
    const inner = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      inner.write(head)
      inner.pipe(socket).pipe(inner)
    })
    inner.on('error', () => socket.destroy())
  })
  return `http://127.0.0.1:${await portOf(proxy)}`
}
