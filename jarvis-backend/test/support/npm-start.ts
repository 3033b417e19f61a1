import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ConfirmationRow, Page, Status } from 'protocol'
import { io } from 'socket.io-client'
import { onTestFinished } from 'vitest'
import { jwtSecret, password, tokenFor, withStepUp } from './start-jarvis.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** From here on `child` says `text`; fails where it ends before. */
const said = (child: ChildProcess, text: string) =>
  new Promise<void>((resolve, reject) => {
    let heard = ''
    const listen = (chunk: Buffer) => {
      heard += chunk.toString()
      if (!heard.includes(text)) return
      child.stdout?.off('data', listen)
      resolve()
    }
    child.stdout?.on('data', listen)
    child.once('exit', (code) => reject(new Error(`It ended with ${code}.`)))
  })

/** `npm start` on a data dir, as a process of its own that ends with the test. */
export async function npmStart(dataDir: string) {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../../scripts/start.js', import.meta.url))], {
    cwd: dataDir,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      JARVIS_DATA_DIR: dataDir,
      JARVIS_PASSWORD: password,
      JWT_SECRET: jwtSecret,
      JARVIS_EMBEDDINGS: 'none',
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exited
  })
  const isUp = () => said(child, ' is at http')
  await isUp()
  const call = async <T>(method: 'GET' | 'POST', path: string, json?: unknown) => {
    const authorization = `Bearer ${tokenFor('operator')}`
    const body = json === undefined ? {} : { body: JSON.stringify(json) }
    const ask = () => fetch(url + path, { method, headers: { authorization }, ...body })
    const response = await withStepUp(url, authorization, ask)
    return { status: response.status, body: (await response.json()) as T }
  }
  return {
    url,
    token: tokenFor,
    child,
    exited,
    isUp,
    call,
    status: async () => (await call<Status>('GET', '/api/status')).body,
    /** A card that waits. */
    async ask(message: string) {
      const socket = io(`${url}/chat`, { auth: { token: tokenFor('operator') }, forceNew: true })
      const asked = new Promise<{ toolUseId: string }>((resolve, reject) => {
        socket.on('chat:confirm_needed', resolve)
        socket.on('chat:done', () => reject(new Error('Nothing was asked.')))
      })
      await socket.emitWithAck('chat:send', { message })
      const { toolUseId } = await asked
      socket.disconnect()
      return toolUseId
    },
    async pending() {
      const { body } = await call<Page<ConfirmationRow>>('GET', '/api/confirmations')
      return body.items.filter(({ decision }) => decision === undefined).map(({ toolUseId }) => toolUseId)
    },
  }
}
