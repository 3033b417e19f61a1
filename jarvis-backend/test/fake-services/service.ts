import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** One request as a service got it. */
export type Taken = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  bytes: Buffer
}
/** A service's answer. `text`: as it is; `json`: made a text. */
export type Reply = { status?: number; json?: unknown; text?: string | Buffer; headers?: Record<string, string> }

/** Puts the items of a list back in their place. */
export const refill = <Item>(list: Item[], items: readonly Item[]) => void list.splice(0, list.length, ...items)

/**
 * A service that messages go to, on a port of loopback until the test ends. `answer` is as strict as the real service; `fail` stands before
 * it as often as it says.
 * @param tls its key and certificate; absent: it speaks http @param atEnd takes what stops it, where no test began it
 */
export async function startService(
  answer: (request: Taken) => Reply | Promise<Reply>,
  tls?: { key: string; cert: string },
  atEnd: (stop: () => Promise<void>) => void = onTestFinished,
) {
  const taken: Taken[] = []
  const wake: (() => void)[] = []
  let failing: { times: number; reply: Reply | 'hang' | 'reset' } | undefined
  const take: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const { method = '', url: path = '', headers } = request
      const bytes = Buffer.concat(chunks)
      const one = { method, path, headers, body: bytes.toString('utf8'), bytes }
      taken.push(one)
      for (const run of wake.splice(0)) run()
      let reply: Reply
      if (failing !== undefined && failing.times > 0) {
        failing.times -= 1
        if (failing.reply === 'hang') return
        if (failing.reply === 'reset') return void request.socket.destroy()
        reply = failing.reply
      } else reply = await answer(one)
      const { status = 200, json, text = json === undefined ? '' : JSON.stringify(json), headers: more = {} } = reply
      response.writeHead(status, { ...(json !== undefined && { 'content-type': 'application/json' }), ...more })
      response.end(text)
    })
  }
  const server: Server = tls === undefined ? createServer(take) : createTlsServer(tls, take)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  // Upgraded connections are no connections of the server any more, and would keep it open.
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  async function stop() {
    for (const socket of open) socket.destroy()
    server.closeAllConnections()
    if (server.listening) await new Promise((done) => server.close(done))
  }
  atEnd(stop)
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    taken,
    server,
    /** The next requests are answered so, or not at all. */
    fail(times: number, reply: Reply | 'hang' | 'reset') {
      failing = { times, reply }
    },
    stop,
    /** Resolves once so many requests came. */
    async until(count: number) {
      while (taken.length < count) await new Promise<void>((run) => wake.push(run))
    },
  }
}
