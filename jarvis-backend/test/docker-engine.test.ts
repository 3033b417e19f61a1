import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEngine } from '../src/workbench/docker/engine.ts'
import { type FakeContainer, startDocker } from './fake-services/docker.ts'

const { signal } = new AbortController()
const jellyfin = (more: Partial<FakeContainer> = {}): FakeContainer => ({
  ...{ id: 'abcdef012345'.padEnd(64, '0'), name: 'jellyfin', image: 'jellyfin/jellyfin:10.11', state: 'running' },
  ...{
    env: ['DB_PASSWORD=planted-secret'],
    labels: { token: 'planted-secret' },
    logs: [
      [1, 'one\n'],
      [2, 'two\n'],
    ],
  },
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
