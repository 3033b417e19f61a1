import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSocket, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEngine } from '../src/workbench/docker/engine.ts'
import { type FakeContainer, startDocker } from './fake-services/docker.ts'
import { frame } from './fake-services/docker-engine.ts'

const { signal } = new AbortController()
const jellyfin = (more: Partial<FakeContainer> = {}): FakeContainer => ({
  id: 'abcdef012345'.padEnd(64, '0'),
  name: 'jellyfin',
  image: 'jellyfin/jellyfin:10.11',
  state: 'running',

  env: ['DB_PASSWORD=planted-secret'],
  labels: { token: 'planted-secret' },
  logs: [
    [1, 'one\n'],
    [2, 'two\n'],
  ],
  ...more,
})

test('reads containers without what people keep secrets in', async () => {
  const { socket } = await startDocker([jellyfin()])
  const engine = createEngine(socket)
  const listed = await engine.list(signal)
  expect(listed).toMatchObject([{ Names: ['/jellyfin'], State: 'running', Ports: [{ PublicPort: 8080 }] }])
  const inspected = await engine.inspect('jellyfin', signal)
  expect(inspected).toMatchObject({
    RestartCount: 2,
    State: { Status: 'running' },
    Mounts: [{ Destination: '/media', RW: false }],
  })
  expect(JSON.stringify(inspected)).not.toContain('planted')
  expect(await engine.use('jellyfin', signal)).toEqual({
    cpuRatio: 0.4,
    ramBytes: 200 * 1024 ** 2,
    ramLimitBytes: 8 * 1024 ** 3,
    processes: 7,
  })
  expect(await engine.logs('jellyfin', { tail: 10, isTty: false }, signal)).toEqual({
    text: 'one\ntwo\n',
    isCut: false,
  })
})

test('changes by its fixed paths, and says what was so already', async () => {
  const docker = await startDocker([jellyfin()])
  const engine = createEngine(docker.socket)
  expect(await engine.act('jellyfin', 'start', signal)).toBe(false)
  expect(await engine.act('jellyfin', 'stop', signal)).toBe(true)
  await expect(engine.run('jellyfin', ['true'], signal)).rejects.toMatchObject({
    code: 'conflict',
    message: /is not running/,
  })
  expect(await engine.act('jellyfin', 'restart', signal)).toBe(true)
  expect(await engine.run('jellyfin', ['false', 'a b'], signal)).toEqual({
    exitCode: 1,
    text: 'ran false a b\na warning\n',
    isCut: false,
  })
  expect(docker.taken).toEqual([
    ...['start', 'stop', 'exec', 'restart', 'exec'].map((part) => `POST /containers/jellyfin/${part}`),
    ...['POST /exec/e0000000/start', 'GET /exec/e0000000/json'],
  ])
  docker.onAct('hang up')
  await expect(engine.act('jellyfin', 'stop', signal)).rejects.toMatchObject({ code: 'outcome_unknown' })
})

test.each(['../images/json', 'a/b', 'a?force=1', 'a%2fb', '', '-a', 'a\r\nx'])(
  'the name %j reaches no path',
  async (name) => {
    const docker = await startDocker([])
    const engine = createEngine(docker.socket)
    await expect(engine.inspect(name, signal)).rejects.toThrow()
    await expect(engine.act(name, 'stop', signal)).rejects.toThrow()
    expect(docker.taken).toEqual([])
  },
)

test('says what to do where there is no Docker, or something else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'jarvis-docker-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const socket = join(folder, 'x.sock')
  const engine = createEngine(socket)
  await expect(engine.list(signal)).rejects.toMatchObject({
    code: 'cluster_unreachable',
    message: /There is no .*x\.sock: Docker does not run/,
  })
  await expect(engine.act('a', 'stop', signal)).rejects.toMatchObject({ code: 'cluster_unreachable' })
  const server = createServer((_asked, reply) => void reply.end('<html>'))
  await new Promise<void>((done) => server.listen(socket, done))
  onTestFinished(() => void server.close())
  expect(existsSync(socket)).toBe(true)
  await expect(engine.list(signal)).rejects.toMatchObject({ message: /is not Docker/ })
})

/** A UNIX socket that answers each request by hand, byte for byte. */
async function startSocket(answer: (wire: Socket, line: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'jarvis-docker-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const socket = join(folder, 'docker.sock')
  const open = new Set<Socket>()
  const server = createSocket((wire) => {
    open.add(wire)
    wire.on('error', () => undefined)
    wire.once('data', (bytes) => answer(wire, bytes.toString().split('\r\n')[0] ?? ''))
  })
  await new Promise<void>((done) => server.listen(socket, done))
  onTestFinished(async () => {
    for (const wire of open) wire.destroy()
    await new Promise((done) => server.close(done))
  })
  return createEngine(socket)
}

const head = (status: string, more = '') => `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\n${more}\r\n`
const chunk = (bytes: Buffer | string) =>
  Buffer.concat([Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`), Buffer.from(bytes), Buffer.from('\r\n')])
const chunked = 'Transfer-Encoding: chunked\r\n'
const refusal = (status: string, message: string) => {
  const body = JSON.stringify({ message })
  return `${head(status, `Content-Length: ${Buffer.byteLength(body)}\r\n`)}${body}`
}

test('logs that come in chunks of any size are read whole, across frames and characters', async () => {
  const whole = Buffer.concat([frame(1, 'größe\n'), frame(2, 'warn ⚠\n'), frame(1, 'ende\n')])
  const engine = await startSocket((wire) => {
    wire.write(head('200 OK', chunked))
    const send = (at: number) => {
      if (at >= whole.length) wire.end('0\r\n\r\n')
      else wire.write(chunk(whole.subarray(at, at + 3)), () => setImmediate(send, at + 3))
    }
    send(0)
  })
  expect(await engine.logs('a', { tail: 9, isTty: false }, signal)).toEqual({
    text: 'größe\nwarn ⚠\nende\n',
    isCut: false,
  })
})

test.each([
  ['404 Not Found', 'No such container: a', 'not_found', /knows no such container: No such container: a/],
  ['409 Conflict', 'container a is paused', 'conflict', /Docker refused: container a is paused/],
  ['500 Internal Server Error', 'driver failed', 'conflict', /Docker refused: driver failed/],
])('%s is told in Docker’s words, of a read, a log and a change', async (status, said, code, message) => {
  const engine = await startSocket((wire) => wire.end(refusal(status, said)))
  const refused = { code, message: expect.stringMatching(message) as string }
  await expect(engine.inspect('a', signal)).rejects.toMatchObject(refused)
  await expect(engine.logs('a', { tail: 9, isTty: false }, signal)).rejects.toMatchObject(refused)
  await expect(engine.act('a', 'stop', signal)).rejects.toMatchObject(refused)
  await expect(engine.run('a', ['ls'], signal)).rejects.toMatchObject(refused)
})

test('an answer that ends in its middle is no answer: a read failed, and the outcome of a change is unknown', async () => {
  const engine = await startSocket((wire, line) => {
    if (line.includes('/exec HTTP')) {
      wire.end(`${head('201 Created', 'Content-Length: 11\r\n')}{"Id":"ab"}`)
      return
    }
    wire.write(head('200 OK', chunked))
    wire.write(chunk(line.includes('json') ? '[{"Id":"x"' : frame(1, 'first\n')), () => wire.destroy())
  })
  await expect(engine.list(signal)).rejects.toMatchObject({ code: 'cluster_unreachable' })
  await expect(engine.inspect('a', signal)).rejects.toMatchObject({ code: 'cluster_unreachable' })
  await expect(engine.logs('a', { tail: 9, isTty: false }, signal)).rejects.toMatchObject({
    code: 'cluster_unreachable',
  })
  await expect(engine.act('a', 'stop', signal)).rejects.toMatchObject({ code: 'outcome_unknown' })
  await expect(engine.run('a', ['ls'], signal)).rejects.toMatchObject({ code: 'outcome_unknown' })
})

test('an answer that does not come ends with its caller', async () => {
  const caller = new AbortController()
  const engine = await startSocket((wire, line) => {
    if (line.includes('/logs')) wire.write(head('200 OK', chunked))
    caller.abort(new Error('Stop'))
  })
  await expect(engine.logs('a', { tail: 9, isTty: false }, caller.signal)).rejects.toThrow()
  await expect(engine.list(caller.signal)).rejects.toThrow('Stop')
})
