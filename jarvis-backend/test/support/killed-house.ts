import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { ConfirmationRow } from '../../src/protocol/index.ts'
import type { JobStart } from '../crash/job-server.ts'
import { killedProgram } from './killed-programs.ts'
import { jwtSecret, tokenFor, withStepUp } from './start-jarvis.ts'

/** The real server in processes that are killed; what a file of tests leaves behind ends with it. */
export function killedHouse(prefix: string) {
  let program = ''
  const alive = new Set<ChildProcess>()
  const dirs: string[] = []
  beforeAll(async () => {
    program = await killedProgram('job-server')
  })
  afterAll(() => {
    for (const child of alive) child.kill('SIGKILL')
    for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
  })

  function newDir(): string {
    const dir = mkdtempSync(join(tmpdir(), prefix))
    dirs.push(dir)
    return dir
  }

  /** Starts the server on a data dir. `dieAt`: the step that it is killed at. */
  async function life(start: Omit<JobStart, 'jwtSecret'>) {
    const child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    })
    alive.add(child)
    const ended = once(child, 'exit').then(() => alive.delete(child))
    await once(child, 'message')
    const listening = once(child, 'message')
    child.send({ ...start, jwtSecret })
    const [{ url }] = (await listening) as [{ url: string }]
    const token = tokenFor('operator')
    const authorization = `Bearer ${token}`
    const rest = async <T>(method: string, place: string, body?: object) => {
      const headers = { authorization, 'content-type': 'application/json' }
      const ask = () => fetch(`${url}/api/${place}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      const text = await (await withStepUp(url, authorization, ask)).text()
      return (text === '' ? undefined : JSON.parse(text)) as T
    }
    return {
      ended,
      rest,
      /** Types a command that waits on a card. */
      async stop104() {
        const socket = io(`${url}/chat`, { auth: { token }, transports: ['websocket'], reconnection: false })
        onTestFinished(() => void socket.disconnect())
        await once(socket as never, 'connect')
        socket.emit('chat:send', { message: '/stop_container vmid=104' })
      },
      async kill() {
        child.kill('SIGKILL')
        await ended
      },
    }
  }
  return { newDir, life }
}
export type Life = Awaited<ReturnType<ReturnType<typeof killedHouse>['life']>>

export const cards = async (life: Life) => (await life.rest<{ items: ConfirmationRow[] }>('GET', 'confirmations')).items
