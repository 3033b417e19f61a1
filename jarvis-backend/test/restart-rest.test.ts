import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import type { ConfirmationRow, JournalEntry, Page, Status } from '../src/protocol/index.ts'
import { startFakeProxmox } from './fake-proxmox/start.ts'
import { folder } from './support/data-dir.ts'
import { jwtSecret, password, startJarvis, tokenFor } from './support/start-jarvis.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The next line that `child` says with `text` in it; fails where it ends before. */
const said = (child: ChildProcess, text: string) =>
  new Promise<void>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      if (!chunk.toString().includes(text)) return
      child.stdout?.off('data', listen)
      resolve()
    }
    child.stdout?.on('data', listen)
    child.once('exit', (code) => reject(new Error(`It ended with ${code}.`)))
  })

/** `npm start` on a data dir, as a process of its own. */
async function npmStart(dataDir: string) {
  const port = await freePort()
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../scripts/start.js', import.meta.url))], {
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
  const isUp = () => said(child, 'JARVIS 0.1.0 is at')
  await isUp()
  const call = async <T>(method: 'GET' | 'POST', path: string, json?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${tokenFor('operator')}` },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
    return { status: response.status, body: (await response.json()) as T }
  }
  return {
    child,
    exited,
    isUp,
    call,
    status: async () => (await call<Status>('GET', '/api/status')).body,
    /** A card that waits. */
    async ask(message: string) {
      const socket = io(`http://127.0.0.1:${port}/chat`, { auth: { token: tokenFor('operator') }, forceNew: true })
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

test('npm start: an operator’s restart takes up the saved cluster, what waits for the same one survives the next', async () => {
  const { urls, tokenId, tokenSecret, fingerprints, stop } = await startFakeProxmox({
    denyDelayMs: 10,
    proxyDelayMs: 10,
  })
  onTestFinished(stop)
  const dataDir = folder()
  const jarvis = await npmStart(dataDir)
  expect(await jarvis.status()).toMatchObject({ canRestart: true, isDemoCluster: true })
  await jarvis.ask('/stop_vm vmid=103')

  expect((await jarvis.call('POST', '/api/setup/save', { urls, tokenId, tokenSecret, fingerprints })).status).toBe(200)
  expect((await jarvis.status()).nextStart).toEqual({ urls, hasNewSsh: false, isAnotherCluster: true })
  const restart = async () => {
    const up = jarvis.isUp()
    const answer = await jarvis.call('POST', '/api/restart')
    if (answer.status === 202) await up
    else up.catch(() => {})
    return answer
  }
  expect(await restart()).toEqual({ status: 202, body: { isRestarting: true } })
  expect(await jarvis.status()).toMatchObject({ isDemoCluster: false, canRestart: true })
  expect((await jarvis.status()).nextStart).toBeUndefined()
  await expect.poll(() => jarvis.pending()).toEqual([])
  await expect.poll(async () => (await jarvis.status()).parts.find(({ name }) => name === 'Cluster')?.health).toBe('ok')

  const waiting = await jarvis.ask('/stop_vm vmid=100')
  writeFileSync(join(dataDir, '.env'), 'SSH_USER=-x\n')
  expect(await jarvis.status()).toMatchObject({ cannotStart: expect.stringMatching(/^SSH_USER must/) })
  expect(await restart()).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringMatching(/^Nothing was restarted: .*SSH_USER must/) } },
  })
  writeFileSync(join(dataDir, '.env'), 'SSH_USER=ops\n')
  expect((await jarvis.status()).nextStart).toEqual({ hasNewSsh: true, isAnotherCluster: false })
  expect((await restart()).status).toBe(202)
  expect(await jarvis.pending()).toEqual([waiting])
  expect((await jarvis.call<{ ssh: object }>('GET', '/api/settings')).body.ssh).toMatchObject({ user: 'ops' })
  const { body } = await jarvis.call<Page<JournalEntry>>('GET', '/api/journal?kind=setup')
  expect(body.items.map((entry) => entry.body)).toMatchObject([
    { change: 'restarted', by: 'operator' },
    { change: 'restarted', by: 'operator' },
    { change: 'saved' },
  ])

  jarvis.child.kill('SIGTERM')
  expect(await jarvis.exited).toEqual([0, null])
}, 60_000)

test('where nothing would start it again, or its policy keeps it from starting, nothing ends; a viewer may not ask', async () => {
  const post = async ({ rest }: Awaited<ReturnType<typeof startJarvis>>, role: 'operator' | 'viewer' = 'operator') => {
    const response = await rest('/api/restart', { method: 'POST', role })
    return [response.status, await response.text()]
  }
  const alone = await startJarvis()
  expect(await post(alone)).toEqual([409, expect.stringMatching(/Nothing was restarted.*npm start again/)])

  let restarts = 0
  const dataDir = folder()
  const kept = await startJarvis({ dataDir, restart: () => restarts++ })
  expect((await post(kept, 'viewer'))[0]).toBe(403)
  writeFileSync(join(dataDir, 'policy.yaml'), 'version: two\n')
  expect(await post(kept)).toEqual([409, expect.stringContaining('The policy cannot be used')])
  expect(restarts).toBe(0)
  expect(await (await kept.rest('/api/journal?kind=setup')).json()).toEqual({ items: [] })
})
