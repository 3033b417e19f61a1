import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BudgetsReply, Entry, EntryOf, JournalEntry, Page, SkillList, SkillTree } from 'protocol'
import { expect, test } from 'vitest'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { SqliteSettings } from '../src/store/sqlite/settings.ts'
import { killedHouse, type Life } from './support/killed-house.ts'
import { skillText } from './support/skills.ts'

const tokensOfCall = 30_000
const { newDir, life, eachKill } = killedHouse('talk')

async function of<T extends Entry['type']>(server: Life, id: string, type: T) {
  const { items } = await server.ask<Page<Entry>>(`sessions/${id}/entries?limit=200`)
  return items.filter((entry): entry is EntryOf<T> => entry.type === type)
}
const ends = async (server: Life, id: string, count: number) =>
  expect.poll(async () => (await of(server, id, 'done')).length, { timeout: 30_000 }).toBe(count)
const callsIn = (dataDir: string, kind: string) =>
  readFileSync(join(dataDir, 'calls'), 'utf8')
    .split('\n')
    .filter((line) => line === kind).length

const folding: [dieAt: string][] = [
  ['model fold 1'],
  ['insert entries compaction written'],
  ['insert entries compaction committed'],
]
test('a fold that is killed is made once, and loses nothing', async () => {
  const start = { dataDir: newDir(), tokensOfCall }
  const first = await life(start, { points: folding.map(([dieAt]) => dieAt) })
  const id = await first.say('Message 0.')
  await ends(first, id, 1)
  await first.say('Message 1.', id)
  await ends(first, id, 2)
  await first.ask(`sessions/${id}/fold`, {})
  await ends(first, id, 3)
  await first.stop()

  await eachKill(folding, async (dieAt) => {
    const { dataDir } = first.at(dieAt)
    const after = await life({ dataDir, tokensOfCall })
    await ends(after, id, 3)
    const made = await of(after, id, 'compaction')
    expect(made).toHaveLength(1)
    expect(JSON.stringify(made[0]?.facts)).toContain('Message 0.')
    const texts = (await of(after, id, 'user')).map(({ text }) => text)
    expect(texts.filter((text) => text.startsWith('Message'))).toHaveLength(2)
    expect(await after.ask('journal/verify')).toMatchObject({ ok: true })
  })
})

const spending: [dieAt: string][] = [
  ['model turn 2'],
  ['insert entries budget committed'],
  ['model last 1'],
  ['insert entries done written'],
]
test('a run that is killed near its limit passes it in no life, and gives one last answer at most', async () => {
  const start = { dataDir: newDir(), tokensOfCall }
  const limit = 190_000
  const database = openDatabase(join(start.dataDir, 'jarvis.db'))
  new SqliteSettings(database).set('budgets', JSON.stringify({ run: { tokens: limit }, day: {}, jobs: {}, agents: {} }))
  database.close()
  const first = await life(start, { points: spending.map(([dieAt]) => dieAt) })
  const id = await first.say('Look until nothing is left.')
  await ends(first, id, 1)
  await first.stop()

  await eachKill(spending, async (dieAt) => {
    const { dataDir } = first.at(dieAt)
    const after = await life({ dataDir, tokensOfCall })
    await ends(after, id, 1)
    const [done] = await of(after, id, 'done')
    const lasts = callsIn(dataDir, 'last')
    const calls = callsIn(dataDir, 'turn') + lasts
    expect(done?.stopReason).toBe('budget')
    expect(calls).toBeGreaterThan(1)
    expect(calls * tokensOfCall).toBeLessThanOrEqual(limit)
    expect(lasts).toBeLessThanOrEqual(1)
    expect((await of(after, id, 'budget')).filter(({ what }) => what === 'stopped')).toHaveLength(1)
    const { day } = await after.ask<BudgetsReply>('budgets')
    expect(day.spent.tokens).toBeGreaterThanOrEqual(calls * tokensOfCall)
  })
})

const approving: [dieAt: string, state: string, entries: number][] = [
  ['insert skills written', 'new', 0],
  ['insert journal skill written', 'new', 0],
  ['insert skills committed', 'approved', 1],
]
test('a skill whose approval is killed is approved with its journal entry, or not at all', async () => {
  const start = { dataDir: newDir(), tokensOfCall }
  // The shipped ones are approved here, so that no point is reached by them.
  await (await life(start)).stop()
  mkdirSync(join(start.dataDir, 'workspace/skills/one'), { recursive: true })
  writeFileSync(join(start.dataDir, 'workspace/skills/one/SKILL.md'), skillText('one'))
  const first = await life(start, { points: approving.map(([dieAt]) => dieAt) })
  const { hash } = await first.ask<SkillTree>('skills/one')
  await first.ask('skills/one/approve', { hash })
  await first.stop()

  await eachKill(approving, async (dieAt, state, entries) => {
    const after = await life({ dataDir: first.at(dieAt).dataDir, tokensOfCall })
    const { items } = await after.ask<SkillList>('skills')
    expect(items.find(({ name }) => name === 'one')?.state).toBe(state)
    const journal = await after.ask<Page<JournalEntry>>('journal?kind=skill')
    const approval = { change: 'approved', skill: 'one', by: 'operator' }
    expect(journal.items.map(({ body }) => body)).toMatchObject(Array.from({ length: entries }, () => approval))
    expect(await after.ask('journal/verify')).toMatchObject({ ok: true })
  })
})

test('a file that was uploaded before a kill goes with the message after it, and is there after another', async () => {
  const start = { dataDir: newDir(), tokensOfCall }
  const dieAt = 'insert entries user written'
  const first = await life(start, { points: [dieAt] })
  const data = Buffer.from('uploaded before').toString('base64')
  const { id } = await first.ask<{ id: string }>('attachments', { name: 'a.txt', data })
  const again = { message: 'Read it.', attachments: [id], requestId: 'request-1' }
  const { id: elsewhere } = await first.ask<{ id: string }>('sessions', again)
  await first.stop()

  // Killed in the transaction that stores the message: neither is sent, and the upload waits.
  const third = await life({ ...start, dataDir: first.at(dieAt).dataDir })
  const { id: session } = await third.ask<{ id: string }>('sessions', again)
  expect(session).not.toBe(elsewhere)
  const { dataDir } = third.now()
  await third.stop()

  const last = await life({ ...start, dataDir })
  await ends(last, session, 1)
  expect((await of(last, session, 'user')).map(({ attachments }) => attachments?.map((file) => file.id))).toEqual([
    [id],
  ])
  expect(await (await last.request('GET', `sessions/${session}/attachments/${id}`)).text()).toBe('uploaded before')
  expect((await last.ask<Page<{ id: string }>>('sessions')).items.map((one) => one.id)).toEqual([session])
})
