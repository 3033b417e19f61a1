import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Grant, JournalEntry, Page } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { SqliteGrantStore } from '../src/store/sqlite/calls/grants.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { createToken, revokeToken } from './support/api-tokens.ts'
import { failingRows } from './support/failing-rows.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { firstCard, watchedMcp } from './support/mcp-client.ts'
import { askCurrent } from './support/mcp-current.ts'
import { type CallOf, calls, says, scripted } from './support/scripted-model.ts'
import { type Screen, startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const restart = (more: object = {}): CallOf => ['restart_vm', { vmid: 103, ...more }]
/** One call for each message, answered in words. */
const asking = (...wanted: CallOf[]) => scripted(...wanted.flatMap((call) => [calls(call), says('So be it.')]))

/** Has the first call approved with a grant, and waits until it is answered. */
async function granted(jarvis: TestJarvis, grant: object) {
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Restart 103.' })
  const { toolUseId, isGrantable } = await operator.next('chat:confirm_needed')
  expect(isGrantable).toBe(true)
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: true, grant })
  await operator.next('chat:done')
  return { operator, sessionId }
}
const say = (operator: Screen, sessionId: string, message = 'Again.') =>
  operator.ask('chat:send', { sessionId, message })
const grantsOf = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/grants')).json()) as { items: Grant[] }).items
const journalled = async (jarvis: TestJarvis) => {
  const page = (await (await jarvis.rest('/api/journal?kind=grant')).json()) as Page<JournalEntry>
  return page.items.reverse().map(({ body }) => body as Record<string, unknown>)
}

test('a grant lets the same call run again a number of times, and says who gave it', async () => {
  const jarvis = await startJarvis({ model: asking(restart(), restart(), restart({ node: 'pve' }), restart()) })
  const { operator, sessionId } = await granted(jarvis, { minutes: 30, uses: 2 })
  const [grant] = await grantsOf(jarvis)
  expect(grant).toMatchObject({
    toolName: 'restart_vm',
    toolInput: { vmid: 103 },
    by: 'operator',
    uses: 2,
    usesLeft: 2,
  })
  expect((grant?.expiresAt ?? 0) - (grant?.createdAt ?? 0)).toBe(30 * 60_000)
  await operator.next('chat:tool_use')

  for (const usesLeft of [1, 0]) {
    await say(operator, sessionId)
    expect(await operator.next('chat:tool_use')).toMatchObject({ tier: 'red', grantId: grant?.id, by: 'operator' })
    await operator.next('chat:done')
    expect((await grantsOf(jarvis)).map((left) => left.usesLeft)).toEqual(usesLeft === 0 ? [] : [usesLeft])
  }
  expect(jarvis.controls.effects).toHaveLength(3)

  await say(operator, sessionId)
  expect(await operator.next('chat:confirm_needed')).toMatchObject({ toolName: 'restart_vm' })
  expect(jarvis.controls.effects).toHaveLength(3)
  const book = await journalled(jarvis)
  expect(book.map(({ change, usesLeft }) => [change, usesLeft])).toEqual([
    ['made', undefined],
    ['used', 1],
    ['used', 0],
  ])
  const executions = (await (await jarvis.rest('/api/journal?kind=execution')).json()) as Page<JournalEntry>
  expect(executions.items.map(({ body }) => (body as { grantId?: string }).grantId)).toEqual([
    grant?.id,
    grant?.id,
    undefined,
  ])
})

test('a grant covers no other arguments, guest or tool', async () => {
  const others: CallOf[] = [restart({ force: true }), ['restart_vm', { vmid: 101 }], ['stop_vm', { vmid: 103 }]]
  const jarvis = await startJarvis({ model: asking(restart(), ...others) })
  const { operator, sessionId } = await granted(jarvis, { uses: 5 })
  for (const [toolName, toolInput] of others) {
    await say(operator, sessionId)
    const card = await operator.next('chat:confirm_needed')
    expect(card).toMatchObject({ toolName, toolInput })
    await operator.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: false })
    await operator.next('chat:done')
  }
  expect(jarvis.controls.effects).toHaveLength(1)
})

test.each<[string, (jarvis: TestJarvis) => void]>([
  ['a rule asks for another reason', (jarvis) => jarvis.controls.lockGuest(103, 'backup')],
  ['the guest has another name', (jarvis) => jarvis.controls.renameGuest(103, 'other')],
  ['the guest was made anew', (jarvis) => jarvis.controls.beginWork(103, 'qmrestore')()],
])('a grant does not help where %s', async (_, change) => {
  const jarvis = await startJarvis({ model: asking(restart(), restart()) })
  const { operator, sessionId } = await granted(jarvis, { uses: 5 })
  change(jarvis)
  await say(operator, sessionId)
  await operator.next('chat:confirm_needed')
  expect(jarvis.controls.effects).toHaveLength(1)
})

test('a grant goes with a guest that moves, and ends with its time', async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 1))
  const jarvis = await startJarvis({ clock, model: asking(restart(), restart(), restart()) })
  const operator = await jarvis.connect()
  const finish = async () => {
    const done = operator.next('chat:done')
    for (let isDone = false; !isDone; ) {
      isDone = await Promise.race([done.then(() => true), clock.advance(50).then(() => false)])
      await operator.request('chat:unqueue', { sessionId: 'none', messageId: 'none' })
    }
  }
  const { sessionId } = await operator.ask('chat:send', { message: 'Restart 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: true, grant: { minutes: 5 } })
  await finish()
  jarvis.controls.migrateGuest(103, 'agent')
  await say(operator, sessionId)
  await finish()
  expect(jarvis.controls.effects).toHaveLength(2)

  await clock.advance(5 * 60_000)
  expect(await grantsOf(jarvis)).toEqual([])
  expect((await journalled(jarvis)).at(-1)).toMatchObject({ change: 'expired', by: 'jarvis' })
  await say(operator, sessionId)
  await operator.next('chat:confirm_needed')
  expect(jarvis.controls.effects).toHaveLength(2)
})

test('a clock that is set back makes no grant last longer', () => {
  const [createdAt, expiresAt] = [10_000, 20_000]
  const database = openDatabase(':memory:')
  onTestFinished(() => database.close())
  const store = new SqliteGrantStore(database)
  store.add({
    id: 'gr_1',
    key: 'key',
    toolName: 'restart_vm',
    toolInput: {},
    target: { kind: 'none', id: '' },
    rule: 'base',
    requestedBy: { kind: 'chat', name: 'm' },
    by: 'operator',
    toolUseId: 'tu_1',
    createdAt,
    expiresAt,
    uses: 2,
    usesLeft: 2,
  })
  const covers = (at: number) => store.covering('key', at, () => 0) !== undefined
  expect([createdAt - 1, createdAt, expiresAt - 1, expiresAt].map(covers)).toEqual([false, true, true, false])
  expect([store.use('gr_1', 'key', createdAt - 1), store.use('gr_1', 'key', createdAt)]).toEqual([undefined, 1])
})

test('of four calls at once with one use left one runs and three ask', async () => {
  // Equal calls of one turn count once, so each is written in another way.
  const written = [{}, { vmid: '103' }, { force: false }, { vmid: '103', force: false }]
  const model = scripted(calls(restart()), says('One.'), calls(...written.map((more) => restart(more))), says('All.'))
  const jarvis = await startJarvis({ model })
  const { operator, sessionId } = await granted(jarvis, { uses: 1 })
  await operator.next('chat:tool_use')
  await operator.next('chat:tool_result')
  await say(operator, sessionId)
  for (let left = 3; left > 0; left -= 1) await operator.next('chat:confirm_needed')
  for (let left = 1; left > 0; left -= 1) await operator.next('chat:tool_result')
  expect(jarvis.controls.effects).toHaveLength(2)
  expect(await grantsOf(jarvis)).toEqual([])
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(snapshot.pending).toHaveLength(3)
})

test('ten sessions that ask at once share the uses left of a grant', async () => {
  const turns = Array.from({ length: 10 }, () => calls(restart()))
  const model = scripted(calls(restart()), says('One.'), ...turns, ...turns.map(() => says('So be it.')))
  const jarvis = await startJarvis({ model })
  await granted(jarvis, { uses: 3 })
  const screens = await Promise.all(turns.map(() => jarvis.connect()))
  const outcomes = await Promise.all(
    screens.map(async (screen) => {
      await screen.ask('chat:send', { message: 'Restart 103.' })
      return Promise.race([
        screen.next('chat:tool_use').then(() => 'ran'),
        screen.next('chat:confirm_needed').then(() => 'asked'),
      ])
    }),
  )
  expect(outcomes.sort()).toEqual([...Array(7).fill('asked'), ...Array(3).fill('ran')])
})

test('a revoked grant covers nothing, and only an operator revokes', async () => {
  const jarvis = await startJarvis({ model: asking(restart(), restart()) })
  const { operator, sessionId } = await granted(jarvis, { uses: 5 })
  const [grant] = await grantsOf(jarvis)
  const path = `/api/grants/${grant?.id}`
  expect((await jarvis.rest(path, { method: 'DELETE', role: 'viewer' })).status).toBe(403)
  expect((await jarvis.rest(path, { method: 'DELETE' })).status).toBe(204)
  expect((await jarvis.rest(path, { method: 'DELETE' })).status).toBe(404)
  expect(await grantsOf(jarvis)).toEqual([])
  await say(operator, sessionId)
  await operator.next('chat:confirm_needed')
  expect(jarvis.controls.effects).toHaveLength(1)
  expect((await journalled(jarvis)).at(-1)).toMatchObject({ change: 'revoked', by: 'operator', grantId: grant?.id })
})

test('a grant outlives a restart, with the uses that are left', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-grant-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const before = await startJarvis({ dataDir, model: asking(restart(), restart()) })
  const { operator, sessionId } = await granted(before, { uses: 2 })
  await say(operator, sessionId)
  await operator.next('chat:done')
  await before.stop()
  const after = await startJarvis({ dataDir, model: asking(restart(), restart()) })
  expect(await grantsOf(after)).toMatchObject([{ usesLeft: 1 }])
  const second = await after.connect()
  await second.ask('chat:attach', { sessionId })
  await say(second, sessionId)
  await second.next('chat:done')
  expect(after.controls.effects).toHaveLength(1)
  await say(second, sessionId)
  await second.next('chat:confirm_needed')
})

const unbounded: [what: string, grant: object][] = [
  ['without a bound', {}],
  ['for longer than a day', { minutes: 1441 }],
  ['for more than 50 uses', { uses: 51 }],
  ['with an unknown bound', { uses: 1, everything: true }],
]
test('a grant with a wrong bound or none is refused, and nothing is decided', async () => {
  const jarvis = await startJarvis({ model: asking(restart()) })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Restart 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  const judge = async ([, grant]: (typeof unbounded)[number]) => {
    const decision = { sessionId, toolUseId, confirmed: true, grant }
    const refused = { ok: false, error: { code: 'invalid_request' } }
    expect(await operator.request('chat:confirm', decision)).toMatchObject(refused)
    expect((await operator.ask('chat:attach', { sessionId })).snapshot.pending).toHaveLength(1)
  }
  expect(await failingRows(unbounded, judge)).toEqual([])
})

test('a denial makes no grant, a grant over REST does', async () => {
  const jarvis = await startJarvis({ model: asking(restart()) })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Restart 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  const decide = (json: object) => jarvis.rest(`/api/confirmations/${toolUseId}`, { method: 'POST', json })
  expect((await decide({ confirmed: false, grant: { uses: 1 } })).status).toBe(400)
  expect((await decide({ confirmed: true, grant: { uses: 1 } })).status).toBe(200)
  await operator.next('chat:done')
  expect(await grantsOf(jarvis)).toMatchObject([{ uses: 1, toolUseId }])
})

test('a grant for the chat serves no MCP client, and a token’s grant no other token', async () => {
  const jarvis = await startJarvis({ model: asking(restart()) })
  await granted(jarvis, { uses: 5 })
  const first = await watchedMcp(jarvis, 'first')
  const second = await watchedMcp(jarvis, 'second')
  const call = { name: 'restart_vm', arguments: { vmid: 103 } }

  const asked = first.client.callTool(call)
  const { toolUseId } = await first.operator.next('chat:confirm_needed')
  const decision = { sessionId: first.sessionId, toolUseId, confirmed: true, grant: { uses: 5 } }
  await first.operator.ask('chat:confirm', decision)
  await asked
  expect((await first.client.callTool(call)).isError).toBe(false)
  expect(jarvis.controls.effects).toHaveLength(3)

  const other = second.client.callTool(call)
  const card = await second.operator.next('chat:confirm_needed')
  expect(card.requestedBy).toMatchObject({ kind: 'mcp', token: 'second' })
  await second.operator.ask('chat:confirm', {
    sessionId: second.sessionId,
    toolUseId: card.toolUseId,
    confirmed: false,
  })
  await other
  expect(jarvis.controls.effects).toHaveLength(3)
})

test.each<[how: string, ends: (jarvis: TestJarvis) => Promise<unknown>, left: number]>([
  ['on the page', (jarvis) => jarvis.rest('/api/tokens/claude', { method: 'DELETE' }), 0],
  ['at the command line', async (jarvis) => revokeToken(jarvis, 'claude'), 1],
])('a grant ends with its token, revoked %s: another one of the same name asks', async (_how, ends, left) => {
  const jarvis = await startJarvis()
  const call = { name: 'restart_vm', arguments: { vmid: 103 } }
  const restart = (token: string) =>
    askCurrent(jarvis, token, 'tools/call', call, { headers: { 'jarvis-confirmation': 'pending' } })
  const token = createToken(jarvis, { name: 'claude' })
  await restart(token)
  const { toolUseId } = await firstCard(jarvis)
  const json = { confirmed: true, grant: { uses: 5 } }
  expect((await jarvis.rest(`/api/confirmations/${toolUseId}`, { method: 'POST', json })).status).toBe(200)
  await expect.poll(() => jarvis.controls.effects.length).toBe(1)
  // A restart of a guest that is off for a moment is another rule, which the grant does not cover.
  const look = { name: 'get_confirmation', arguments: { id: toolUseId } }
  const state = async () => (await askCurrent(jarvis, token, 'tools/call', look)).result?.structuredContent
  await expect.poll(state).toMatchObject({ state: 'done' })

  await ends(jarvis)
  expect(await grantsOf(jarvis)).toHaveLength(left)
  const again = await restart(createToken(jarvis, { name: 'claude' }))
  expect(again.result?.structuredContent).toMatchObject({ state: 'waiting' })
  expect(jarvis.controls.effects).toHaveLength(1)
  expect(await grantsOf(jarvis)).toEqual([])
})

test('what words out of a tool result raised is asked for each time, and so also after a restart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-tainted-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const before = await startJarvis({
    dataDir,
    model: scripted(
      calls(['execute_ssh', { node: 'pve', command: 'systemctl list-units' }]),
      calls(['restart_service', { node: 'pve', service: 'chrony' }]),
    ),
  })
  const first = await before.connect()
  const { sessionId } = await first.ask('chat:send', { message: 'Anything odd on pve?' })
  const card = await first.next('chat:confirm_needed')
  expect(card).toMatchObject({ rule: 'taint' })
  expect(card.isGrantable).toBeUndefined()
  const decision = { sessionId, toolUseId: card.toolUseId, confirmed: true }
  const reply = await first.request('chat:confirm', { ...decision, grant: { uses: 1 } })
  expect(reply).toMatchObject({ ok: false, error: { code: 'invalid_request' } })
  await before.stop()

  // The conversation is judged from what is stored: the card stands as it was, and no new one takes its place.
  const after = await startJarvis({ dataDir, model: scripted(says('Restarted.')) })
  const second = await after.connect()
  await second.ask('chat:attach', { sessionId })
  await second.ask('chat:confirm', decision)
  await second.next('chat:done')
  expect(second.names()).not.toContain('chat:confirm_needed')
  expect(after.controls.effects).toMatchObject([{ detail: expect.stringContaining('chrony') }])
})

test('a stop leaves no card and no grant behind that would still end', async () => {
  const clock = createFakeClock(Date.UTC(2026, 0, 1))
  const jarvis = await startJarvis({ clock, model: asking(restart(), restart({ force: true })) })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Restart 103.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: true, grant: { uses: 5 } })
  await clock.advance(60_000)
  await screen.next('chat:done')
  await say(screen, sessionId)
  await screen.next('chat:confirm_needed')
  await jarvis.stop()
  expect(clock.pending()).toBe(0)
})
