import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFakeProxmox } from 'fake-proxmox/server'
import type { Change } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { killedHouse, type Left, type Life } from './support/killed-house.ts'

const { newDir, life, killedLife, eachKill } = killedHouse('changes')
const skipMs = 11 * 60_000

const changesOf = async (one: Life) => (await one.ask<{ items: Change[] }>('changes')).items
const changeOf = async (one: Life) => (await changesOf(one)).at(-1)

const dieAts = ['1 before', '1 after', '2 before', '2 after']
const levelsIn = (dataDir: string) => readFileSync(join(dataDir, 'levels'), 'utf8').trim().split('\n').map(Number)

/** Asks for the level 9 in place of 5, and approves it to go back after ten minutes. @returns what kills would leave */
async function changed() {
  const dataDir = newDir()
  writeFileSync(join(dataDir, 'levels'), '5\n')
  const first = await life({ dataDir, skipMs: 0 }, { points: dieAts })
  await first.types('/set_level vmid=104 to=9')
  await expect.poll(first.waiting).toHaveLength(1)
  const [card] = await first.waiting()
  await first.ask(`confirmations/${card?.toolUseId}`, { confirmed: true, goesBackAfterMin: 10 })
  await expect.poll(async () => (await changeOf(first))?.state).toBe('armed')
  const [waits, goesBack] = [first.now(), first.now()]
  await first.ask(`changes/${(await changeOf(first))?.id}/keep`, {})
  const kept = first.now()
  await first.stop()

  // The same change goes back at a later start.
  const second = await life({ dataDir: goesBack.dataDir, skipMs }, { points: dieAts })
  await expect.poll(async () => (await changeOf(second))?.state).toBe('undone')
  await second.stop()
  return { waits, kept, first: first.at, back: second.at }
}

type Lefts = Awaited<ReturnType<typeof changed>>
type Case = { left: (of: Lefts) => Left; levels: number[]; state: Change['state']; says?: RegExp }
const cases: [string, Case][] = [
  ['while it waits', { left: ({ waits }) => waits, levels: [5, 9, 5], state: 'undone' }],
  ['right after Keep', { left: ({ kept }) => kept, levels: [5, 9], state: 'made' }],
  [
    'before the change was made',
    { left: ({ first }) => first('1 before'), levels: [5], state: 'armed', says: /The level is 5 now, not 9/ },
  ],
  [
    'after the change was made, before it was recorded',
    { left: ({ first }) => first('1 after'), levels: [5, 9, 5], state: 'undone' },
  ],
  [
    'before it went back',
    { left: ({ back }) => back('2 before'), levels: [5, 9], state: 'unknown', says: /Look at the level/ },
  ],
  [
    'after it went back, before that was recorded',
    { left: ({ back }) => back('2 after'), levels: [5, 9, 5], state: 'unknown', says: /Look/ },
  ],
]

test('killed at any step, a change that goes back is made and taken back once at most, and said', async () => {
  const lefts = await changed()
  await eachKill(cases, async (_when, { left, levels, state, says }) => {
    const { dataDir } = left(lefts)
    const last = await life({ dataDir, skipMs })
    const seen = async () => {
      const change = await changeOf(last)
      return { state: change?.state, isSaid: says === undefined || says.test(change?.problem ?? '') }
    }
    await expect.poll(seen).toEqual({ state, isSaid: true })
    expect(levelsIn(dataDir)).toEqual(levels)
    expect(await last.ask('journal/verify')).toMatchObject({ ok: true })
  })
})

test('the demo’s cluster is made anew at each start, so what was changed on it neither goes back nor is undone', async () => {
  const dataDir = newDir()
  const first = await life({ dataDir, skipMs: 0 })
  await first.types('/set_guest_config vmid=113 set={"cores":2}')
  await expect.poll(first.waiting).toHaveLength(1)
  const [card] = await first.waiting()
  await first.ask(`confirmations/${card?.toolUseId}`, { confirmed: true, goesBackAfterMin: 10 })
  // Its snapshot takes some seconds.
  await expect.poll(async () => (await changeOf(first))?.state).toBe('armed')
  await first.stop()

  const last = await life({ dataDir, skipMs })
  expect(await changeOf(last)).toMatchObject({
    state: 'made',
    undo: { kind: 'none', sentence: 'It was made on the demo’s cluster, which each start makes anew.' },
  })
  expect(await last.ask('journal/verify')).toMatchObject({ ok: true })
})

test('killed while tasks of a cluster run, JARVIS finds each at its next start, and asks for none again', async () => {
  // Tasks end some seconds later, when the next start looks for them.
  const fake = await startFakeProxmox({ speed: 20, denyDelayMs: 10, proxyDelayMs: 10 })
  onTestFinished(fake.stop)
  const { urls, fingerprints, tokenId, tokenSecret, control } = fake
  const access = { PVE_URL: urls.join(), PVE_TOKEN_ID: tokenId, PVE_TOKEN_SECRET: tokenSecret }
  const start = { dataDir: newDir(), skipMs: 0, env: { ...access, PVE_FINGERPRINT: fingerprints.join() } }
  const first = await killedLife(start)
  await expect.poll(async () => JSON.stringify(await first.ask('cluster'))).toContain('"vmid":103')
  const archive = 'nas:backup/vzdump-lxc-200-2025_01_01-00_00_00.tar.zst'
  const status = async () => (await control.guest(101)).status
  expect(await status()).toBe('running')
  await first.types('/take_snapshot vmid=101 name=before')
  await expect.poll(async () => (await changesOf(first))[0]?.state).toBe('made')

  await control.lateTasks(60_000)
  await first.types('/rollback_snapshot vmid=101 name=before')
  await first.types('/clone_guest vmid=100 newId=901 name=copy')
  await first.types(`/restore_guest archive=${archive} newId=902 name=restored node=pve1 storage=local-zfs`)
  await first.types('/migrate_guest vmid=102 target=pve2')
  await first.types('/back_up_guest vmid=103 storage=nas')
  await expect.poll(first.waiting).toHaveLength(4)
  for (const { toolUseId } of await first.waiting()) await first.ask(`confirmations/${toolUseId}`, { confirmed: true })
  const asked = async () => (await control.changes()).map(({ path }) => path).sort()
  await expect.poll(asked).toHaveLength(6)
  const before = await asked()
  await first.kill()

  const last = await life(start)
  const states = async () =>
    Object.fromEntries((await changesOf(last)).map((change) => [change.toolName, change.state]))
  const tools = ['take_snapshot', 'rollback_snapshot', 'clone_guest', 'restore_guest', 'migrate_guest', 'back_up_guest']
  await expect.poll(states).toEqual(Object.fromEntries(tools.map((tool) => [tool, 'made'])))
  expect(await asked()).toEqual(before)
  expect(await status()).toBe('running')
  expect(await last.ask('journal/verify')).toMatchObject({ ok: true })
}, 120_000)
