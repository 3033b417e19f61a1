import { systemClock } from 'node-kit/clock'
import type { Card, PlanRun } from 'protocol'
import { expect, test } from 'vitest'
import type { Database } from '../src/store/sqlite/database.ts'
import { folder } from './support/data-dir.ts'
import { connectMcp, createToken } from './support/mcp-client.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { type Level, setLevel } from './support/set-level.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
const post = (jarvis: TestJarvis, path: string, body: object) => jarvis.rest(path, { method: 'POST', json: body })
const set = (id: string, to: number) => ({ id, tool: 'set_level', input: { vmid: 104, to } })
const steps = [set('a', 9), set('b', 12)]

const newest = async (jarvis: TestJarvis) => (await json<{ items: PlanRun[] }>(jarvis.rest('/api/plans'))).items[0]
async function pending(jarvis: TestJarvis): Promise<Card> {
  const open = async () =>
    (await json<{ items: (Card & { decision?: string })[] }>(jarvis.rest('/api/confirmations'))).items.filter(
      ({ decision }) => decision === undefined,
    )
  await expect.poll(open).toHaveLength(1)
  const [card] = await open()
  if (card === undefined) throw new Error('no card waits')
  return card
}
const approve = async (jarvis: TestJarvis) => {
  const card = await pending(jarvis)
  expect((await post(jarvis, `/api/confirmations/${card.toolUseId}`, { confirmed: true })).status).toBe(200)
  return card
}

/** A level whose change tells before it is made, for the first time. */
const telling = (onFirst: () => void): Level => {
  let value = 5
  const changes: number[] = []
  return {
    changes,
    get value() {
      return value
    },
    set value(to) {
      if (changes.length === 0) onFirst()
      value = to
    },
  }
}

async function begun(level: Level, more: Parameters<typeof startJarvis>[0] = {}) {
  const model = scripted(calls(['propose_plan', { goal: 'x', steps }]), says('Noted.'))
  const jarvis = await startJarvis({ tools: [setLevel(level)], model, ...more })
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Set the level of 104.' })
  const card = await approve(jarvis)
  return { jarvis, screen, card }
}

test('a plan is taken back as a plan, newest step first; what rests on an earlier undo asks in its turn', async () => {
  const level: Level = { value: 5, changes: [] }
  const { jarvis, screen, card } = await begun(level)
  await screen.next('chat:done')
  const first = await post(jarvis, `/api/plans/${card.toolUseId}/undo`, {})
  expect(first.status).toBe(200)
  const whole = await approve(jarvis)
  expect(whole.plan).toMatchObject({
    undoes: { id: card.toolUseId, steps: 2 },
    steps: [
      { tier: 'red', toolName: 'undo', then: 'level 12 → 9' },
      { tier: 'red', isLater: true, then: 'asks by itself in its turn', sentence: 'The level goes back to 5.' },
    ],
  })
  const later = await approve(jarvis)
  expect(later).toMatchObject({ toolName: 'undo', requestedBy: { kind: 'plan' }, then: 'level 9 → 5' })
  await expect.poll(async () => (await newest(jarvis))?.state).toBe('done')
  expect(level.changes).toEqual([9, 12, 9, 5])
  const again = await post(jarvis, `/api/plans/${card.toolUseId}/undo`, {})
  expect([again.status, JSON.stringify(await again.json())]).toEqual([409, expect.stringContaining('all of it was')])
})

test('a step that begins long after the approval has a card of its own', async () => {
  let skippedMs = 0
  const level = telling(() => {
    skippedMs = 61 * 60_000
  })
  const { jarvis } = await begun(level, { clock: { ...systemClock, now: () => Date.now() + skippedMs } })
  expect(await pending(jarvis)).toMatchObject({ toolName: 'set_level', toolInput: { to: 12 } })
  expect((await newest(jarvis))?.steps[1]).toMatchObject({
    state: 'asks',
    outcome: 'The plan was approved too long ago.',
  })
  expect(level.changes).toEqual([9])
})

test('a plan’s row that the journal does not know lets nothing run', async () => {
  let database: Database | undefined
  const level = telling(() => {
    // Somebody who can write the database names another call, with every value of an approved call's row.
    const row = database?.sql.prepare<[], { id: string; facts: string }>('SELECT id, facts FROM plans').get()
    const facts = (row?.facts ?? '').replaceAll('"to":12', '"to":99')
    database?.sql.prepare('UPDATE plans SET facts = ? WHERE id = ?').run(facts, row?.id)
  })
  const { jarvis } = await begun(level, {
    database(opened) {
      database = opened
      return opened
    },
  })
  expect(await pending(jarvis)).toMatchObject({ toolName: 'set_level', toolInput: { to: 99 } })
  expect(level.changes).toEqual([9])
})

test('an MCP client asks for a plan, waits for its card, and reads how it went', async () => {
  const level: Level = { value: 5, changes: [] }
  const jarvis = await startJarvis({ tools: [setLevel(level)] })
  const client = await connectMcp(jarvis, createToken(jarvis))
  const answer = client.callTool({ name: 'propose_plan', arguments: { goal: 'x', steps } })
  const card = await approve(jarvis)
  expect(card).toMatchObject({ requestedBy: { kind: 'mcp' }, plan: { goal: 'x', steps: [{}, {}] } })
  const { content } = (await answer) as { content: { text: string }[] }
  expect(content[0]?.text).toContain('A plan of 2 steps is done.')
  expect(level.changes).toEqual([9, 12])
})

test('a read-only MCP client can have no plan run', async () => {
  const jarvis = await startJarvis({ tools: [setLevel({ value: 5, changes: [] })] })
  const client = await connectMcp(jarvis, createToken(jarvis, { isReadOnly: true }))
  const { isError } = await client.callTool({ name: 'propose_plan', arguments: { goal: 'x', steps } })
  expect([isError, await newest(jarvis)]).toEqual([true, undefined])
})

test('the model’s list outlives a restart, is given again word for word while it is open, and not when it is done', async () => {
  const dataDir = folder()
  const list = (second: string) => ({
    items: [
      { text: 'Look at the disks', state: 'done' },
      { text: 'Restart 104', state: second },
    ],
  })
  const first = await startJarvis({ dataDir, model: scripted(calls(['update_plan', list('doing')]), says('Begun.')) })
  const screen = await first.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Look after the disks.' })
  expect(await screen.next('chat:plan')).toMatchObject(list('doing'))
  await screen.next('chat:done')
  await first.stop()

  const model = scripted(calls(['update_plan', list('done')]), says('Done.'), says('Nothing is open.'))
  const second = await startJarvis({ dataDir, model })
  const again = await second.connect()
  const { snapshot } = await again.ask('chat:attach', { sessionId })
  expect(snapshot.todo).toEqual(list('doing').items)
  await again.ask('chat:send', { sessionId, message: 'Go on.' })
  await again.next('chat:done')
  await again.ask('chat:send', { sessionId, message: 'And now?' })
  await again.next('chat:done')
  const given = model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)))
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('- done: Look at the disks\\n- doing: Restart 104')
  expect(given[2]).not.toContain('<plan>')
})

test('a list with two items that are being done is refused', async () => {
  const items = [
    { text: 'a', state: 'doing' },
    { text: 'b', state: 'doing' },
  ]
  const jarvis = await startJarvis({ model: scripted(calls(['update_plan', { items }]), says('Noted.')) })
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Go.' })
  expect(await screen.next('chat:tool_result')).toMatchObject({ isError: true, summary: /At most one item/ })
})
