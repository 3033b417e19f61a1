import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../scripts/build.js'
import type { Card, Change } from '../src/protocol/index.ts'
import type { ChangeStart } from './crash/change-server.ts'
import { folder } from './support/data-dir.ts'
import { jwtSecret, tokenFor } from './support/start-jarvis.ts'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
let dir = ''
const alive = new Set<ChildProcess>()
beforeAll(async () => {
  dir = mkdtempSync(path('../.crash-'))
  await bundle({ server: path('crash/change-server.ts') }, dir)
})
afterAll(() => {
  for (const child of alive) child.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

const skipMs = 11 * 60_000

async function life(start: Omit<ChangeStart, 'jwtSecret'>) {
  const child = spawn(process.execPath, [join(dir, 'server.js')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
  })
  alive.add(child)
  const ended = once(child, 'exit').then(() => alive.delete(child))
  await once(child, 'message')
  const listening = once(child, 'message')
  child.send({ ...start, jwtSecret })
  const [{ url }] = (await listening) as [{ url: string }]
  async function ask<T>(place: string, body?: object): Promise<T> {
    const response = await fetch(`${url}/api/${place}`, {
      headers: { authorization: `Bearer ${tokenFor('operator')}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return (await response.json()) as T
  }
  return {
    url,
    ask,
    ended,
    change: async () => (await ask<{ items: Change[] }>('changes')).items.at(-1),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Asks for the level 9 in place of 5, and approves it to go back after ten minutes. Returns once it was made or killed. */
async function changed(dataDir: string, dieAt?: ChangeStart['dieAt']) {
  writeFileSync(join(dataDir, 'levels'), '5\n')
  const first = await life({ dataDir, skipMs: 0, ...(dieAt && { dieAt }) })
  const socket = io(`${first.url}/chat`, { auth: { token: tokenFor('operator') }, transports: ['websocket'] })
  try {
    await socket.emitWithAck('chat:send', { message: '/set_level vmid=104 to=9' })
    const waiting = async () => (await first.ask<{ items: Card[] }>('confirmations')).items
    await expect.poll(waiting).toHaveLength(1)
    const [card] = await waiting()
    await first.ask(`confirmations/${card?.toolUseId}`, { confirmed: true, goesBackAfterMin: 10 }).catch(() => {})
    if (dieAt?.startsWith('1')) await first.ended
    else await expect.poll(async () => (await first.change())?.state).toBe('armed')
  } finally {
    socket.close()
  }
  return first
}

type Case = { levels: number[]; state: Change['state']; says?: RegExp; dieAt?: ChangeStart['dieAt']; isKept?: true }
test.each<[string, Case]>([
  ['while it waits', { levels: [5, 9, 5], state: 'undone' }],
  ['right after Keep', { levels: [5, 9], state: 'made', isKept: true }],
  ['before the change was made', { dieAt: '1 before', levels: [5], state: 'armed', says: /The level is 5 now, not 9/ }],
  ['after the change was made, before it was recorded', { dieAt: '1 after', levels: [5, 9, 5], state: 'undone' }],
  ['before it went back', { dieAt: '2 before', levels: [5, 9], state: 'unknown', says: /Look at the level/ }],
  [
    'after it went back, before that was recorded',
    { dieAt: '2 after', levels: [5, 9, 5], state: 'unknown', says: /Look/ },
  ],
])('killed %s, a change that goes back is made and taken back once at most, and said', async (_what, expected) => {
  const { dieAt, levels, state, says, isKept } = expected
  const dataDir = folder()
  const first = await changed(dataDir, dieAt)
  if (isKept) await first.ask(`changes/${(await first.change())?.id}/keep`, {})
  await first.kill()
  if (dieAt?.startsWith('2')) await (await life({ dataDir, skipMs, dieAt })).ended

  const last = await life({ dataDir, skipMs })
  const seen = async () => {
    const change = await last.change()
    return { state: change?.state, isSaid: says === undefined || says.test(change?.problem ?? '') }
  }
  await expect.poll(seen, { timeout: 30_000 }).toEqual({ state, isSaid: true })
  expect(readFileSync(join(dataDir, 'levels'), 'utf8').trim().split('\n').map(Number)).toEqual(levels)
  expect(await last.ask('journal/verify')).toMatchObject({ ok: true })
  await last.kill()
})
