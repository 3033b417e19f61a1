import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Snapshot } from 'protocol'
import { io, type Socket } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { program } from './support/program.ts'
import { jwtSecret, password, tokenFor } from './support/start-jarvis.ts'

/** The program itself, in a process of its own. */
async function startProgram(dataDir: string) {
  const child = spawn(process.execPath, program('main'), {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: {
      ...process.env,
      PORT: '0',
      JARVIS_DATA_DIR: dataDir,
      JARVIS_PASSWORD: password,
      JWT_SECRET: jwtSecret,
      JARVIS_MODEL: 'demo',
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>
  let said = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const found = /http:\/\/\S+/.exec(said)
      if (found !== null) resolve(found[0])
    })
    void exited.then(([code]) => reject(new Error(`It ended with ${code}: ${said}`)))
  })
  const connect = async () => {
    const socket = io(`${url}/chat`, {
      auth: { token: tokenFor('operator') },
      transports: ['websocket'],
      forceNew: true,
    })
    onTestFinished(() => void socket.disconnect())
    await new Promise<void>((resolve) => socket.on('connect', () => resolve()))
    return socket
  }
  return { child, exited, connect }
}

const next = <T>(socket: Socket, event: string) => new Promise<T>((resolve) => socket.once(event, resolve))

function folder() {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-shutdown-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

/** Leaves a red call running. */
async function withRunningCall({ connect }: Awaited<ReturnType<typeof startProgram>>): Promise<string> {
  const socket = await connect()
  const asked = next<{ sessionId: string; toolUseId: string }>(socket, 'chat:confirm_needed')
  await socket.emitWithAck('chat:send', { message: '/stop_container vmid=104' })
  const { sessionId, toolUseId } = await asked
  const running = next(socket, 'chat:tool_progress')
  await socket.emitWithAck('chat:confirm', { sessionId, toolUseId, confirmed: true })
  await running
  return sessionId
}

/** Entries of a session once its run is over. */
async function entriesOf({ connect }: Awaited<ReturnType<typeof startProgram>>, sessionId: string) {
  const socket = await connect()
  const done = next(socket, 'chat:done')
  const attach = async () =>
    ((await socket.emitWithAck('chat:attach', { sessionId })) as { snapshot: Snapshot }).snapshot.entries
  if (!(await attach()).some(({ type }) => type === 'done')) await done
  return attach()
}

// The program itself lives one life after another in one test, because its starts cost most.
test('a signal lets a call finish, a second one does not wait, and what a kill leaves is unknown and not run again', async () => {
  const dataDir = folder()
  const first = await startProgram(dataDir)
  const finished = await withRunningCall(first)
  first.child.kill('SIGTERM')
  expect(await first.exited).toEqual([0, null])

  const second = await startProgram(dataDir)
  expect(await entriesOf(second, finished)).toContainEqual(
    expect.objectContaining({ type: 'tool_result', isError: false }),
  )
  const killed = await withRunningCall(second)
  second.child.kill('SIGKILL')
  await second.exited

  const third = await startProgram(dataDir)
  const entries = await entriesOf(third, killed)
  // The demo cluster lives in the process, so it knows nothing of the call any more.
  expect(entries).toContainEqual(expect.objectContaining({ type: 'tool_result', isUnknown: true, isError: true }))
  expect(entries.filter(({ type }) => type === 'tool_use')).toHaveLength(1)
  await withRunningCall(third)
  third.child.kill('SIGTERM')
  third.child.kill('SIGINT')
  expect(await third.exited).toEqual([1, null])
}, 60_000)
