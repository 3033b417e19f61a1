import { createServer as createHttp, type Server as HttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Server } from 'socket.io'
import { Manager } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { watchLink } from './link.ts'
import type { Sockets } from './sockets.ts'

const portOf = (server: HttpServer | ReturnType<typeof createServer>) =>
  new Promise<number>((done) => server.listen(0, '127.0.0.1', () => done((server.address() as AddressInfo).port)))

/** A server, and a network before it that can be cut, or go silent as one does while a phone sleeps. */
async function startServer() {
  const http = createHttp()
  const io = new Server(http)
  for (const name of ['/cluster', '/events']) io.of(name)
  io.of('/chat').on('connection', (socket) => socket.on('chat:ping', (_, ack) => ack({ ok: true })))
  const port = await portOf(http)
  const wires = new Set<Socket>()
  let isCut = false
  const gate = createServer((wire) => {
    if (isCut) return void wire.destroy()
    const far = connect(port, '127.0.0.1')
    for (const end of [wire, far]) {
      wires.add(end)
      end.on('error', () => undefined)
      end.on('close', () => {
        wire.destroy()
        far.destroy()
      })
    }
    wire.pipe(far).pipe(wire)
  })
  const url = `http://127.0.0.1:${await portOf(gate)}`
  const drop = () => {
    for (const wire of wires) wire.destroy()
  }
  onTestFinished(async () => {
    drop()
    gate.close()
    await io.close()
  })
  return {
    url,
    cut() {
      isCut = true
      drop()
    },
    mend() {
      isCut = false
    },
    /** Nothing passes any more, and nobody is told. New connections do. */
    silence() {
      for (const wire of wires) wire.unpipe().pause()
    },
  }
}

/** A page whose own retries come too late to count. */
function openPage(url: string, patience = { silentMs: 600_000, proofMs: 200 }) {
  const delays = { reconnectionDelay: 600_000, reconnectionDelayMax: 600_000 }
  const manager = new Manager(url, { autoConnect: false, transports: ['websocket'], ...delays })
  const sockets = {
    manager,
    chat: manager.socket('/chat'),
    cluster: manager.socket('/cluster'),
    events: manager.socket('/events'),
  } as unknown as Sockets
  const link = watchLink(sockets, () => undefined, patience)
  onTestFinished(() => link.disconnect())
  const until = (status: string) =>
    new Promise<void>((done) => {
      const look = () => {
        if (link.value.get().status === status) done()
      }
      link.value.subscribe(look)
      look()
    })
  return { ...sockets, link, until }
}

test.each(['tryNow', 'check'] as const)('a lost link is tried at once by %s, whatever its turn', async (how) => {
  const server = await startServer()
  const { link, until, manager } = openPage(server.url)
  link.connect()
  await until('live')
  server.cut()
  await until('lost')
  link[how]()
  await new Promise((done) => manager.once('error', done))
  server.mend()
  link[how]()
  await until('live')
})

test('a link that died in silence is replaced once it is doubted, and one that lives is kept', async () => {
  const server = await startServer()
  const { link, until, chat, cluster, events } = openPage(server.url)
  link.connect()
  await until('live')
  const { id } = chat
  link.check()
  await new Promise((done) => chat.emit('chat:ping', {}, done))
  expect(chat.id).toBe(id)
  server.silence()
  link.check()
  await until('lost')
  await until('live')
  expect(chat.id).not.toBe(id)
  const isUp = () => cluster.connected && events.connected
  await expect.poll(isUp, { interval: 5 }).toBe(true)
})

test('a link that was silent for too long is replaced without a question', async () => {
  const server = await startServer()
  const { link, until, chat } = openPage(server.url, { silentMs: -1, proofMs: 600_000 })
  link.connect()
  await until('live')
  const { id } = chat
  server.silence()
  link.check()
  await until('live')
  expect(chat.id).not.toBe(id)
})
