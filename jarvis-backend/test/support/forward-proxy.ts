import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type ProxySettings, proxySettings, readProxies } from '../../src/lib/proxies.ts'
import { goOutBy } from '../../src/lib/way-out.ts'

type Came = { method: string; target: string; authorization?: string; headers: IncomingHttpHeaders }

/**
 * A forward proxy on this machine: CONNECT, and requests that name a whole address. Every host leads to `to`, so that tests may use names that
 * no resolver knows. `refuse`: the status of each answer instead; `silent`: it takes a request and says nothing.
 */
export async function startForwardProxy(to: {
  port?: number
  refuse?: number
  silent?: boolean
  /** Basic credentials that it wants, as `name:password`. */
  wants?: string
}) {
  const came: Came[] = []
  const open = new Set<Socket>()
  const refusalOf = (headers: IncomingHttpHeaders) => {
    const wanted = to.wants === undefined ? undefined : `Basic ${Buffer.from(to.wants).toString('base64')}`
    return wanted !== undefined && headers['proxy-authorization'] !== wanted ? 407 : to.refuse
  }
  const server = createServer((asked, answer) => {
    const { method = '', url = '', headers } = asked
    came.push({ method, target: url, headers })
    if (to.silent === true) return
    const refused = refusalOf(headers)
    if (refused !== undefined) {
      answer.writeHead(refused, { 'content-type': 'text/html' }).end('<html><title>The proxy says no</title></html>')
      return
    }
    const { pathname, search } = new URL(url)
    const { 'proxy-authorization': _, ...passed } = headers
    const onward = request({ host: '127.0.0.1', port: to.port, method, path: pathname + search, headers: passed })
    onward.on('response', (response) => response.pipe(answer.writeHead(response.statusCode ?? 502, response.headers)))
    asked.pipe(onward)
  })
  server.on('connection', (socket) => open.add(socket))
  server.on('connect', ({ url = '', headers }, socket: Socket, head) => {
    came.push({ method: 'CONNECT', target: url, headers })
    socket.on('error', () => {})
    if (to.silent === true) return
    const refused = refusalOf(headers)
    if (refused !== undefined) {
      socket.end(`HTTP/1.1 ${refused} No\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    const inner = connect(to.port ?? 0, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      inner.write(head)
      inner.pipe(socket).pipe(inner)
    })
    open.add(inner)
    inner.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, came }
}

/** Sends this thread's requests out by these variables until the test ends. */
export async function goOutWith(env: Record<string, string>): Promise<ProxySettings> {
  const settings = proxySettings(env)
  await goOutBy(readProxies(settings))
  onTestFinished(() => goOutBy(readProxies(proxySettings({}))))
  return settings
}
