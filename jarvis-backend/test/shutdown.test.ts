import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { io, type Socket } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import type { Snapshot } from '../src/protocol/index.ts'
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
async function withRunningCall(dataDir: string) {
  const program = await startProgram(dataDir)
  const socket = await program.connect()
  const asked = next<{ sessionId: string; toolUseId: string }>(socket, 'chat:confirm_needed')
  await socket.emitWithAck('chat:send', { message: '/stop_container vmid=104' })
  const { sessionId, toolUseId } = await asked
  const running = next(socket, 'chat:tool_progress')
  await socket.emitWithAck('chat:confirm', { sessionId, toolUseId, confirmed: true })
  await running
  return { ...program, sessionId }
}

test('SIGTERM lets a running call finish, exits 0, and the next start has its result', async () => {
  const dataDir = folder()
  const { child, exited, sessionId } = await withRunningCall(dataDir)
  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])

  const again = await startProgram(dataDir)
  const socket = await again.connect()
  const done = next(socket, 'chat:done')
  const { snapshot } = (await socket.emitWithAck('chat:attach', { sessionId })) as { snapshot: Snapshot }
  if (!snapshot.entries.some(({ type }) => type === 'done')) await done
  expect(snapshot.entries).toContainEqual(expect.objectContaining({ type: 'tool_result', isError: false }))
  again.child.kill('SIGTERM')
  expect(await again.exited).toEqual([0, null])
}, 60_000)

test('a second signal does not wait', async () => {
  const { child, exited } = await withRunningCall(folder())
  child.kill('SIGTERM')
  child.kill('SIGINT')
  expect(await exited).toEqual([1, null])
}, 60_000)

test('after a kill in the middle of a call, the next start reports an unknown outcome and runs nothing again', async () => {
  const dataDir = folder()
  const { child, exited, sessionId } = await withRunningCall(dataDir)
  child.kill('SIGKILL')
  await exited
  const again = await startProgram(dataDir)
  const socket = await again.connect()
  const done = next(socket, 'chat:done')
  const first = (await socket.emitWithAck('chat:attach', { sessionId })) as { snapshot: Snapshot }
  if (!first.snapshot.entries.some(({ type }) => type === 'done')) await done
  const { snapshot } = (await socket.emitWithAck('chat:attach', { sessionId })) as { snapshot: Snapshot }
  // The demo cluster lives in the process, so it knows nothing of the call any more.
  expect(snapshot.entries).toContainEqual(
    expect.objectContaining({ type: 'tool_result', isUnknown: true, isError: true }),
  )
  expect(snapshot.entries.filter(({ type }) => type === 'tool_use')).toHaveLength(1)
}, 60_000)
