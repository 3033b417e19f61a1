import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

/** A WebSocket of somebody who shows no token. Resolves once it is open. */
async function stranger(jarvis: TestJarvis): Promise<Socket> {
  const { port } = new URL(jarvis.url)
  const wire = connect(Number(port), '127.0.0.1').on('error', () => {})
  onTestFinished(() => void wire.destroy())
  wire.write(
    [
      'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
      '\r\n',
    ].join('\r\n'),
  )
  await once(wire, 'data')
  return wire
}

test('a stranger holds few sockets at a time, and keeps nobody out', async () => {
  const jarvis = await startJarvis()
  const wires: Socket[] = []
  for (let count = 0; count < 60; count += 1) wires.push(await stranger(jarvis))
  await expect.poll(() => wires.filter(({ destroyed }) => !destroyed).length).toBe(30)
  expect(wires.slice(0, 30).every(({ destroyed }) => destroyed)).toBe(true)
  const operator = await jarvis.connect()
  // One who has shown a token is none of them.
  for (let count = 0; count < 40; count += 1) await stranger(jarvis)
  expect(operator.socket.connected).toBe(true)
})

test('what a stranger sends is not kept: a message that never ends is cut off early', async () => {
  const jarvis = await startJarvis()
  const wire = await stranger(jarvis)
  const closed = new Promise((resolve) => wire.once('close', resolve))
  // A masked text frame that says it has 900,000 bytes.
  const head = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x0d, 0xbb, 0xa0, 0, 0, 0, 0])
  wire.write(Buffer.concat([head, Buffer.alloc(100_000)]))
  await closed

  const open = await (await fetch(`${jarvis.url}/socket.io/?EIO=4&transport=polling`)).text()
  const { sid } = JSON.parse(open.slice(1)) as { sid: string }
  const poll = `${jarvis.url}/socket.io/?EIO=4&transport=polling&sid=${sid}`
  expect((await fetch(poll, { method: 'POST', body: `4${'x'.repeat(100_000)}` })).status).toBe(413)
  // The same after a token was shown is a message like any other.
  for (const transports of [['polling'], ['websocket'], ['polling', 'websocket']]) {
    const socket = io(`${jarvis.url}/chat`, { auth: { token: jarvis.token('operator') }, forceNew: true, transports })
    onTestFinished(() => void socket.disconnect())
    await once(socket as never, 'connect')
    const reply: unknown = await socket.timeout(10_000).emitWithAck('chat:send', { message: 'x'.repeat(100_000) })
    expect(reply).toMatchObject({ ok: false, error: { code: 'message_too_large' } })
  }
})

test('an upgrade of no socket at all ends nothing but itself', async () => {
  const jarvis = await startJarvis()
  for (const path of ['//', '/?sid=%', '/mcp', '/socket.io/?EIO=4&transport=websocket&sid=nobody']) {
    const { port } = new URL(jarvis.url)
    const wire = connect(Number(port), '127.0.0.1').on('error', () => {})
    const closed = new Promise((resolve) => wire.once('close', resolve))
    wire.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    wire.resume()
    await closed
  }
  expect((await jarvis.rest('/api/status')).status).toBe(200)
})

test('a body of somebody without a token is not read', async () => {
  const jarvis = await startJarvis()
  const post = (path: string) => fetch(jarvis.url + path, { method: 'POST', body: JSON.stringify('x'.repeat(100_000)) })
  expect((await post('/api/sessions')).status).toBe(401)
  expect((await post('/api/auth/login')).status).toBe(413)
})

test('a page connects to its own host alone', async () => {
  const jarvis = await startJarvis()
  const policy = (await fetch(`${jarvis.url}/health`)).headers.get('content-security-policy') ?? ''
  const { host } = new URL(jarvis.url)
  expect(policy.split('; ')).toContain(`connect-src 'self' ws://${host} wss://${host}`)
})
