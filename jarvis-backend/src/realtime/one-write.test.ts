import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket as TcpSocket } from 'node:net'
import { Server } from 'socket.io'
import { io as connect } from 'socket.io-client'
import { afterEach, expect, test } from 'vitest'
import { writeOnce } from './one-write.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** What a client is sent for one `go`, which the server answers with `greet`, `part` twice, then `done` a turn later. */
async function writesOf(transport: 'websocket' | 'polling') {
  const http = createServer()
  const io = new Server(http, { serveClient: false })
  ends.push(() => io.close())
  writeOnce(io)
  const written: string[] = []
  io.on('connection', (socket) => {
    socket.on('go', () => {
      const tcp = socket.conn.request.socket as TcpSocket & { _writev?: unknown }
      const write = tcp.write.bind(tcp)
      const uncork = tcp.uncork.bind(tcp)
      tcp.write = ((...args: Parameters<typeof write>) => {
        written.push(String(args[0]))
        return write(...args)
      }) as typeof tcp.write
      tcp.uncork = () => {
        uncork()
        if (tcp.writableCorked === 0) written.push('|')
      }
      socket.emit('greet')
      socket.emit('part', 1)
      socket.emit('part', 2)
      setImmediate(() => socket.emit('done'))
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const client = connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, { transports: [transport] })
  ends.push(() => client.close())
  const heard: unknown[] = []
  client.onAny((...args: unknown[]) => heard.push(args))
  const done = new Promise((resolve) => client.on('done', resolve))
  client.emit('go')
  await done
  return {
    heard,
    writes: written
      .join('')
      .split('|')
      .filter((write) => write !== ''),
  }
}

const all = [['greet'], ['part', 1], ['part', 2], ['done']]

test('what is sent at one go leaves in one write, in order, and what comes later in its own', async () => {
  const { heard, writes } = await writesOf('websocket')
  expect(heard).toEqual(all)
  expect(writes).toHaveLength(2)
  expect(writes[0]).toMatch(/greet.*part.*part/s)
  expect(writes[1]).toMatch(/done/)
})

test('a client that polls gets the same', async () => {
  expect((await writesOf('polling')).heard).toEqual(all)
})
