import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Change } from 'protocol'
import { expect, test } from 'vitest'
import { shownChange } from '../src/calls/changes/change.ts'
import { folder, run } from './support/data-dir.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { type Level, setLevel } from './support/set-level.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const minuteMs = 60_000
const setting = (to: number) => calls(['set_level', { vmid: 104, to }])

async function start(
  level: Level,
  options: Parameters<typeof startJarvis>[0] = {},
  ...turns: Parameters<typeof scripted>
) {
  const jarvis = await startJarvis({ model: scripted(...turns, says('Noted.')), tools: [setLevel(level)], ...options })
  return { jarvis, screen: await jarvis.connect() }
}
const changesOf = async (jarvis: TestJarvis, query = '') =>
  ((await (await jarvis.rest(`/api/changes${query}`)).json()) as { items: Change[] }).items
const post = (jarvis: TestJarvis, path: string) => jarvis.rest(`/api/changes/${path}`, { method: 'POST', json: {} })

/** Asks for a level and approves its card. */
async function approved({ screen }: Awaited<ReturnType<typeof start>>, more: { goesBackAfterMin?: number } = {}) {
  const { sessionId } = await screen.ask('chat:send', { message: 'Set it.' })
  const card = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true, ...more })
  await screen.next('chat:tool_result')
  await screen.next('chat:done')
  return card
}

test('a card says what takes the change back, and the undo is a call of its own that asks', async () => {
  const level: Level = { value: 5, changes: [] }
  const both = await start(level, {}, setting(9))
  const card = await approved(both)
  expect(card).toMatchObject({
    now: 'level 5',
    undo: { kind: 'call', sentence: 'The level goes back to 5.' },
    mayGoBack: true,
  })
  const [change] = await changesOf(both.jarvis, '?target=ct/104')
  expect(change).toMatchObject({ id: card.toolUseId, state: 'made', sentence: 'The level of 104 is 9.' })

  const { sessionId } = (await (await post(both.jarvis, `${card.toolUseId}/undo`)).json()) as { sessionId: string }
  const pending = async () => (await both.screen.ask('chat:attach', { sessionId })).snapshot.pending
  await expect.poll(pending).toHaveLength(1)
  const [asked = card] = await pending()
  expect(asked).toMatchObject({ toolName: 'undo', target: { id: 'ct/104' }, then: 'level 9 → 5' })
  await both.screen.ask('chat:confirm', { sessionId, toolUseId: asked.toolUseId, confirmed: true })
  expect(await both.screen.next('chat:tool_result')).toMatchObject({ isError: false })
  expect(level).toMatchObject({ value: 5, changes: [9, 5] })
  expect((await changesOf(both.jarvis)).map(({ state }) => state)).toEqual(['made', 'undone'])

  await both.screen.next('chat:done')
  await both.screen.ask('chat:send', { sessionId, message: `/undo change=${card.toolUseId}` })
  expect(await both.screen.next('chat:tool_result')).toMatchObject({
    isError: true,
    summary: expect.stringContaining('taken back before'),
  })
})

test('a restore lets nothing go back, because what became of it since is not known', async () => {
  const level: Level = { value: 5, changes: [] }
  const clock = createSkippingClock()
  const dataDir = folder()
  const first = await start(level, { clock, dataDir }, setting(9))
  await approved(first, { goesBackAfterMin: 10 })
  const file = join(dataDir, 'backup.db')
  expect((await run(dataDir, 'cli', 'backup', file).ended).code).toBe(0)
  await first.jarvis.stop()
  expect((await run(dataDir, 'cli', 'restore', '--yes', file, '--force').ended).code).toBe(0)
  clock.skip(11 * minuteMs)
  const again = await startJarvis({ clock, dataDir, model: scripted(), tools: [setLevel(level)] })
  expect(await changesOf(again)).toMatchObject([{ state: 'made', undo: { kind: 'none' } }])
  expect(level.changes).toEqual([9])
})

test('what the policy says of the tool that takes a change back holds for the undo too', async () => {
  const { jarvis, screen } = await start({ value: 5, changes: [] })
  await screen.ask('chat:send', { message: '/take_snapshot vmid=110 name=before' })
  expect(await screen.next('chat:tool_result')).toMatchObject({ isError: false })
  const [change] = await changesOf(jarvis)
  const input = { change: change?.id }
  const classify = async () =>
    (await jarvis.rest('/api/tools/undo/classify', { method: 'POST', json: { input } })).json()
  expect(await classify()).toMatchObject({ tier: 'red' })
  writeFileSync(join(jarvis.dataDir, 'policy.yaml'), 'tiers: {delete_snapshot: black}')
  await expect.poll(classify).toMatchObject({ tier: 'black', rule: 'tiers' })
})

test('an undo is refused with the difference where somebody changed it since', async () => {
  const level: Level = { value: 5, changes: [] }
  const both = await start(level, {}, setting(9))
  const card = await approved(both)
  level.value = 12
  await both.screen.ask('chat:send', { message: `/undo change=${card.toolUseId}` })
  expect(await both.screen.next('chat:tool_result')).toMatchObject({
    isError: true,
    summary: 'The level is 12 now, not 9. Nothing was changed.',
  })
  expect(level.changes).toEqual([9])
  expect((await changesOf(both.jarvis))[0]).toMatchObject({ state: 'made' })
})

test('a card asks anew where what it rests on has changed, and stays where that cannot be read', async () => {
  const level: Level = { value: 5, changes: [] }
  const { screen } = await start(level, {}, calls(['set_level', { vmid: 104, to: 900 }]), setting(9))
  const { sessionId } = await screen.ask('chat:send', { message: 'Set it.' })
  expect(await screen.next('chat:tool_result')).toMatchObject({ summary: 'to: the highest level is 100.' })
  const card = await screen.next('chat:confirm_needed')
  const decide = (toolUseId: string) => screen.request('chat:confirm', { sessionId, toolUseId, confirmed: true })
  level.isAway = true
  expect(await decide(card.toolUseId)).toMatchObject({ ok: false })
  level.isAway = false
  level.value = 6
  expect(await decide(card.toolUseId)).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('Its level has changed since the card was shown.') },
  })
  const again = await screen.next('chat:confirm_needed')
  expect(again).toMatchObject({ now: 'level 6' })
  expect(await decide(again.toolUseId)).toMatchObject({ ok: true })
  await screen.next('chat:done')
  expect(level.changes).toEqual([9])
})

test('an armed change goes back by itself, even where JARVIS was down when its time came', async () => {
  const level: Level = { value: 5, changes: [] }
  const clock = createSkippingClock()
  const dataDir = folder()
  const before = await start(level, { clock, dataDir }, setting(9))
  const card = await approved(before, { goesBackAfterMin: 10 })
  expect((await changesOf(before.jarvis))[0]).toMatchObject({ state: 'armed', goesBackAt: expect.any(Number) })
  const read = async (path: string) => (await before.jarvis.rest(`/api/changes${path}`)).json()
  expect(await read('?armed=true')).toMatchObject({ items: [{ id: card.toolUseId }], now: expect.any(Number) })
  expect(await read(`/${card.toolUseId}`)).toMatchObject({ id: card.toolUseId, state: 'armed' })
  expect((await before.jarvis.rest('/api/changes/nothing')).status).toBe(404)
  // No session begins for it.
  expect((await post(before.jarvis, 'nothing/undo')).status).toBe(404)
  expect((await post(before.jarvis, 'nothing/keep')).status).toBe(404)
  await before.jarvis.stop()

  clock.skip(11 * minuteMs)
  const after = await startJarvis({ clock, dataDir, model: scripted(), tools: [setLevel(level)] })
  await expect.poll(async () => (await changesOf(after)).find(({ id }) => id === card.toolUseId)?.state).toBe('undone')
  expect(level.changes).toEqual([9, 5])
  expect((await post(after, `${card.toolUseId}/keep`)).status).toBe(409)
})

test('a change that is kept stays, and one that cannot go back says why', async () => {
  const level: Level = { value: 5, changes: [] }
  const clock = createSkippingClock()
  const both = await start(level, { clock }, setting(9), says('Done.'), setting(20))
  const kept = await approved(both, { goesBackAfterMin: 10 })
  expect((await post(both.jarvis, `${kept.toolUseId}/keep`)).status).toBe(200)
  expect((await post(both.jarvis, `${kept.toolUseId}/keep`)).status).toBe(409)
  clock.skip(11 * minuteMs)
  const back = await approved(both, { goesBackAfterMin: 10 })
  clock.skip(11 * minuteMs)
  level.value = 30
  // Another change wakes the look at what is due.
  await both.screen.ask('chat:send', { message: '/memory_write text="The level is odd."' })
  await both.screen.next('chat:tool_result')
  expect((await changesOf(both.jarvis)).find(({ id }) => id === kept.toolUseId)).toMatchObject({
    state: 'made',
    decidedBy: 'operator',
  })
  const backNow = async () => (await changesOf(both.jarvis)).find(({ id }) => id === back.toolUseId)
  await expect.poll(async () => (await backNow())?.problem).toBe('The level is 30 now, not 20. Nothing was changed.')
  expect(level.changes).toEqual([9, 20])
})

test('a row that the journal does not know takes nothing back unasked', async () => {
  const level: Level = { value: 5, changes: [] }
  const clock = createSkippingClock()
  const dataDir = folder()
  const before = await start(level, { clock, dataDir }, setting(9))
  const card = await approved(before, { goesBackAfterMin: 10 })
  await before.jarvis.stop()
  const { default: Sqlite } = await import('better-sqlite3')
  const sql = new Sqlite(`${dataDir}/jarvis.db`)
  sql.prepare("UPDATE changes SET facts = json_set(facts, '$.undo.input.to', 77) WHERE id = ?").run(card.toolUseId)
  sql.close()
  clock.skip(11 * minuteMs)
  const { jarvis } = await start(level, { clock, dataDir })
  const waiting = async () => ((await (await jarvis.rest('/api/confirmations')).json()) as { items: unknown[] }).items
  await expect.poll(waiting).toContainEqual(expect.objectContaining({ toolName: 'undo' }))
  expect(level.changes).toEqual([9])
})

test('the command line lists the changes, and keeps one that would go back', async () => {
  const level: Level = { value: 5, changes: [] }
  const dataDir = folder()
  const both = await start(level, { dataDir }, setting(9))
  const { toolUseId } = await approved(both, { goesBackAfterMin: 10 })
  const cli = async (...args: string[]) => (await run(dataDir, 'cli', 'changes', ...args).ended).output
  expect(await cli('--target', 'ct/104')).toMatch(
    new RegExp(
      `${toolUseId}  armed \\(goes back at .*\\)  The level of 104 is 9\\.\n  Undo: The level goes back to 5\\.`,
    ),
  )
  expect(await cli('keep', toolUseId)).toContain('Kept.')
  expect((await changesOf(both.jarvis))[0]).toMatchObject({ state: 'made', decidedBy: 'cli' })
  expect(await cli('keep', toolUseId)).toContain('This change does not go back by itself.')
})

test('a change that failed offers no undo', () => {
  const undo = { kind: 'call', toolName: 'start_vm', input: { vmid: 101 }, sentence: 'It is started again.' } as const
  const offered = (state: Change['state']) => shownChange({ state, undo } as never).undo
  expect(offered('made')).toMatchObject({ kind: 'call' })
  expect(offered('failed')).toEqual({ kind: 'none', sentence: expect.stringContaining('takes nothing back') })
})
