import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ConfirmationRow } from 'protocol'
import { io } from 'socket.io-client'
import { expect, onTestFinished } from 'vitest'
import { folder } from './data-dir.ts'
import { killedProgram } from './killed-programs.ts'
import { jwtSecret, tokenFor } from './start-jarvis.ts'

type Told = { event: string; payload: { toolUseId?: string; result?: string; isError?: boolean } }

/** The whole server as a process of its own. */
export async function workbenchLife(dataDir: string, temporary = folder()) {
  const child = spawn(process.execPath, [await killedProgram('workbench-server')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // The remains of a killed server are removed with the test.
    env: { PATH: process.env.PATH, NODE_ENV: 'production', TMPDIR: temporary },
  })
  const ended = once(child, 'exit').then(([, signal]) => signal as string)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await once(child, 'message')
  const listening = once(child, 'message')
  child.send({ dataDir, jwtSecret })
  const [{ url }] = (await listening) as [{ url: string }]
  const token = tokenFor('operator')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const get = async <T>(place: string) => (await (await fetch(`${url}/api/${place}`, { headers })).json()) as T
  const socket = io(`${url}/chat`, { auth: { token }, transports: ['websocket'], reconnection: false })
  const told: Told[] = []
  let taken = 0
  socket.onAny((event: string, payload: Told['payload']) => void told.push({ event, payload }))
  const opened = once(socket as never, 'connect')
  return {
    child,
    get,
    told,
    /** Types a call. @returns the session */
    async types(name: string, input: object, sessionId?: string) {
      await opened
      const words = Object.entries(input).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
      const message = `/${name} ${words.join(' ')}`
      const sent = await socket.emitWithAck('chat:send', { message, ...(sessionId !== undefined && { sessionId }) })
      return (sent as { sessionId: string }).sessionId
    },
    async diesAt(dieAt: string) {
      child.send({ dieAt })
      await once(child, 'message')
    },
    /** Approves the one card that waits; the process may end before it answers. */
    async approves() {
      const waiting = async () =>
        (await get<{ items: ConfirmationRow[] }>('confirmations')).items.find((row) => row.decidedAt === undefined)
      await expect.poll(waiting, { timeout: 20_000 }).toBeDefined()
      const card = await waiting()
      const body = JSON.stringify({ confirmed: true })
      await fetch(`${url}/api/confirmations/${card?.toolUseId}`, { method: 'POST', headers, body }).catch(
        () => undefined,
      )
      return String(card?.toolUseId)
    },
    /** The result that comes next. */
    async result() {
      taken += 1
      const results = () => told.filter(({ event }) => /tool_result|blocked/.test(event))
      await expect.poll(() => results().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(taken)
      return results()[taken - 1]?.payload
    },
    ended,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    close: () => void socket.disconnect(),
  }
}
