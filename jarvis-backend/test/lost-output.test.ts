import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Status } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { createLogSink } from '../src/lib/log-sink.ts'
import { folder } from './support/data-dir.ts'
import { program } from './support/program.ts'
import { jwtSecret, password, tokenFor } from './support/start-jarvis.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The program itself. @param out what its standard output is */
async function start(out: 'pipe' | number) {
  const port = await freePort()
  const child = spawn(process.execPath, program('main'), {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      JARVIS_DATA_DIR: folder(),
      JARVIS_PASSWORD: password,
      JWT_SECRET: jwtSecret,
      JARVIS_EMBEDDINGS: 'none',
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', out, 'inherit'],
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const url = `http://127.0.0.1:${port}`
  await expect
    .poll(
      () =>
        fetch(`${url}/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 15_000 },
    )
    .toBe(true)
  const ask = (path: string, init: RequestInit = {}, role: 'operator' | 'viewer' = 'operator') =>
    fetch(url + path, { ...init, headers: { authorization: `Bearer ${tokenFor(role)}` } })
  return {
    child,
    /** Something that is logged. */
    isRefused: async () => expect((await ask('/api/restart', { method: 'POST' }, 'viewer')).status).toBe(403),
    logPart: async () => ((await (await ask('/api/status')).json()) as Status).parts.find(({ name }) => name === 'Log'),
  }
}

test('where the reader of standard output is gone, the server goes on and says so', async () => {
  const { child, isRefused, logPart } = await start('pipe')
  expect(await logPart()).toBeUndefined()
  child.stdout?.destroy()
  await isRefused()
  await expect
    .poll(logPart)
    .toMatchObject({ health: 'warn', effect: expect.stringContaining('whoever read it is gone') })
  expect(child.exitCode).toBeNull()
})

test.skipIf(!existsSync('/dev/full'))(
  'where the disk under the log is full, the server starts, goes on and says so',
  async () => {
    const { child, isRefused, logPart } = await start(openSync('/dev/full', 'w'))
    await isRefused()
    await expect.poll(logPart).toMatchObject({ health: 'warn', effect: expect.stringContaining('its disk is full') })
    expect(child.exitCode).toBeNull()
  },
)

test('a line that is not taken is counted, and the next one that is ends the trouble', () => {
  let fails = true
  const lines: string[] = []
  const sink = createLogSink({
    write(line: string, came: (error?: Error) => void) {
      if (fails) throw Object.assign(new Error('no room'), { code: 'ENOSPC' })
      lines.push(line)
      came()
    },
  } as NodeJS.WritableStream)
  sink.write('a')
  expect(sink.standing()).toEqual({ lost: 1, problem: 'its disk is full' })
  fails = false
  sink.write('b')
  expect([lines, sink.standing()]).toEqual([['b'], { lost: 1 }])
})
