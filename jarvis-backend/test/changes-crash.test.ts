import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Card, Change } from '../src/protocol/index.ts'
import type { ChangeStart } from './crash/change-server.ts'
import { startFakeProxmox } from './fake-proxmox/start.ts'
import { folder } from './support/data-dir.ts'
import { killedProgram } from './support/killed-programs.ts'
import { jwtSecret, tokenFor } from './support/start-jarvis.ts'

let program = ''
const alive = new Set<ChildProcess>()
beforeAll(async () => {
  program = await killedProgram('change-server')
})
afterAll(() => {
  for (const child of alive) child.kill('SIGKILL')
})

const skipMs = 11 * 60_000

async function life(start: Omit<ChangeStart, 'jwtSecret'>) {
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
  await expect.poll(seen).toEqual({ state, isSaid: true })
  expect(readFileSync(join(dataDir, 'levels'), 'utf8').trim().split('\n').map(Number)).toEqual(levels)
  expect(await last.ask('journal/verify')).toMatchObject({ ok: true })
  await last.kill()
})

test('the demo’s cluster is made anew at each start, so what was changed on it neither goes back nor is undone', async () => {
  const dataDir = folder()
  const first = await life({ dataDir, skipMs: 0 })
  const socket = io(`${first.url}/chat`, { auth: { token: tokenFor('operator') }, transports: ['websocket'] })
  await socket.emitWithAck('chat:send', { message: '/set_guest_config vmid=113 set={"cores":2}' })
  const waiting = async () => (await first.ask<{ items: Card[] }>('confirmations')).items
  await expect.poll(waiting).toHaveLength(1)
  const [card] = await waiting()
  await first.ask(`confirmations/${card?.toolUseId}`, { confirmed: true, goesBackAfterMin: 10 })
  // Its snapshot takes some seconds.
  await expect.poll(async () => (await first.change())?.state).toBe('armed')
  await first.kill()
  socket.close()

  const last = await life({ dataDir, skipMs })
  expect(await last.change()).toMatchObject({
    state: 'made',
    undo: { kind: 'none', sentence: 'It was made on the demo’s cluster, which each start makes anew.' },
  })
  expect(await last.ask('journal/verify')).toMatchObject({ ok: true })
  await last.kill()
})

test('killed while tasks of a cluster run, JARVIS finds each at its next start, and asks for none again', async () => {
  // Tasks end some seconds later, when the next start looks for them.
  const fake = await startFakeProxmox({ speed: 20, denyDelayMs: 10, proxyDelayMs: 10 })
  onTestFinished(fake.stop)
  const { urls, fingerprints, tokenId, tokenSecret, control } = fake
  const access = { PVE_URL: urls.join(), PVE_TOKEN_ID: tokenId, PVE_TOKEN_SECRET: tokenSecret }
  const start = { dataDir: folder(), skipMs: 0, env: { ...access, PVE_FINGERPRINT: fingerprints.join() } }
  const first = await life(start)
  const socket = io(`${first.url}/chat`, { auth: { token: tokenFor('operator') }, transports: ['websocket'] })
  const changes = async (of: typeof first) => (await of.ask<{ items: Change[] }>('changes')).items
  await expect.poll(async () => JSON.stringify(await first.ask('cluster'))).toContain('"vmid":103')
  const archive = 'nas:backup/vzdump-lxc-200-2025_01_01-00_00_00.tar.zst'
  const status = async () => (await control.guest(101)).status
  expect(await status()).toBe('running')
  const send = async (message: string) => void (await socket.emitWithAck('chat:send', { message }))
  await send('/take_snapshot vmid=101 name=before')
  await expect.poll(async () => (await changes(first))[0]?.state).toBe('made')

  await control.lateTasks(60_000)
  await send('/rollback_snapshot vmid=101 name=before')
  await send('/clone_guest vmid=100 newId=901 name=copy')
  await send(`/restore_guest archive=${archive} newId=902 name=restored node=pve1 storage=local-zfs`)
  await send('/migrate_guest vmid=102 target=pve2')
  await send('/back_up_guest vmid=103 storage=nas')
  const waiting = async () => (await first.ask<{ items: Card[] }>('confirmations')).items
  await expect.poll(waiting).toHaveLength(4)
  for (const { toolUseId } of await waiting()) await first.ask(`confirmations/${toolUseId}`, { confirmed: true })
  const asked = async () => (await control.changes()).map(({ path }) => path).sort()
  await expect.poll(asked).toHaveLength(6)
  const before = await asked()
  await first.kill()
  socket.close()

  const last = await life(start)
  const states = async () => Object.fromEntries((await changes(last)).map((change) => [change.toolName, change.state]))
  const tools = ['take_snapshot', 'rollback_snapshot', 'clone_guest', 'restore_guest', 'migrate_guest', 'back_up_guest']
  await expect.poll(states).toEqual(Object.fromEntries(tools.map((tool) => [tool, 'made'])))
  expect(await asked()).toEqual(before)
  expect(await status()).toBe('running')
  expect(await last.ask('journal/verify')).toMatchObject({ ok: true })
  await last.kill()
}, 120_000)
