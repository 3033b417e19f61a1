import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BudgetsReply, Entry, EntryOf, JournalEntry, Page, SkillList, SkillTree } from '../src/protocol/index.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { createSettings } from '../src/store/sqlite/settings.ts'
import { killedHouse, type Life } from './support/killed-house.ts'
import { skillText } from './support/skills.ts'

const tokensOfCall = 30_000
const { newDir, life, killedLife } = killedHouse('talk')

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

test('a fold that is killed is made once, and loses nothing', async () => {
  const dataDir = newDir()
  const first = await life({ dataDir, tokensOfCall })
  const id = await first.say('Message 0.')
  await ends(first, id, 1)
  await first.stop()
  let [said, folds] = [1, 0]
  for (const dieAt of ['model fold 1', 'insert entries compaction written', 'insert entries compaction committed']) {
    const before = await killedLife({ dataDir, tokensOfCall, dieAt })
    await before.say(`Message ${said}.`, id)
    said += 1
    await ends(before, id, said + folds)
    await before.ask(`sessions/${id}/fold`, {}).catch(() => {})
    await before.ended
    folds += 1

    const after = await life({ dataDir, tokensOfCall })
    await ends(after, id, said + folds)
    const made = await of(after, id, 'compaction')
    expect([dieAt, made.length]).toEqual([dieAt, folds])
    const facts = JSON.stringify(made.at(-1)?.facts)
    for (let number = 0; number < said - 1; number += 1) expect(facts).toContain(`Message ${number}.`)
    const texts = (await of(after, id, 'user')).map(({ text }) => text)
    expect(texts.filter((text) => text.startsWith('Message'))).toHaveLength(said)
    expect(await after.ask('journal/verify')).toMatchObject({ ok: true })
    await after.stop()
  }
}, 120_000)

test('a run that is killed near its limit passes it in no life, and gives one last answer at most', async () => {
  const dataDir = newDir()
  const limit = 190_000
  const database = openDatabase(join(dataDir, 'jarvis.db'))
  createSettings(database).set('budgets', JSON.stringify({ run: { tokens: limit }, day: {}, jobs: {}, agents: {} }))
  database.close()
  let [counted, lasts] = [0, 0]
  for (const dieAt of [
    'model turn 2',
    'insert entries budget committed',
    'model last 1',
    'insert entries done written',
  ]) {
    const before = await killedLife({ dataDir, tokensOfCall, dieAt })
    const id = await before.say('Look until nothing is left.')
    await before.ended

    const after = await life({ dataDir, tokensOfCall })
    await ends(after, id, 1)
    const [done] = await of(after, id, 'done')
    const calls = callsIn(dataDir, 'turn') + callsIn(dataDir, 'last') - counted
    counted += calls
    expect([dieAt, done?.stopReason]).toEqual([dieAt, 'budget'])
    expect(calls).toBeGreaterThan(1)
    expect(calls * tokensOfCall).toBeLessThanOrEqual(limit)
    expect(callsIn(dataDir, 'last') - lasts).toBeLessThanOrEqual(1)
    lasts = callsIn(dataDir, 'last')
    expect((await of(after, id, 'budget')).filter(({ what }) => what === 'stopped')).toHaveLength(1)
    const { day } = await after.ask<BudgetsReply>('budgets')
    expect(day.spent.tokens).toBeGreaterThanOrEqual(counted * tokensOfCall)
    await after.stop()
  }
}, 120_000)

test('a skill whose approval is killed is approved with its journal entry, or not at all', async () => {
  const dataDir = newDir()
  const names = {
    'insert skills written': 'one',
    'insert journal skill written': 'two',
    'insert skills committed': 'three',
  }
  // The shipped ones are approved here, so that no point is reached by them.
  await (await life({ dataDir, tokensOfCall })).stop()
  for (const name of Object.values(names)) {
    mkdirSync(join(dataDir, 'workspace/skills', name), { recursive: true })
    writeFileSync(join(dataDir, 'workspace/skills', name, 'SKILL.md'), skillText(name))
  }
  for (const [dieAt, name] of Object.entries(names)) {
    const before = await killedLife({ dataDir, tokensOfCall, dieAt })
    const { hash } = await before.ask<SkillTree>(`skills/${name}`)
    await before.ask(`skills/${name}/approve`, { hash }).catch(() => {})
    await before.ended
  }
  const after = await life({ dataDir, tokensOfCall })
  const { items } = await after.ask<SkillList>('skills')
  const approved = items.filter(({ name, state }) => state === 'approved' && Object.values(names).includes(name))
  expect(approved.map(({ name }) => name)).toEqual(['three'])
  const journal = await after.ask<Page<JournalEntry>>('journal?kind=skill')
  expect(journal.items.map(({ body }) => body)).toMatchObject([{ change: 'approved', skill: 'three', by: 'operator' }])
  expect(await after.ask('journal/verify')).toMatchObject({ ok: true })
}, 60_000)

test('a file that was uploaded before a kill goes with the message after it, and is there after another', async () => {
  const dataDir = newDir()
  const first = await killedLife({ dataDir, tokensOfCall })
  const data = Buffer.from('uploaded before').toString('base64')
  const { id } = await first.ask<{ id: string }>('attachments', { name: 'a.txt', data })
  await first.kill()

  // Killed in the transaction that stores the message: neither is sent, and the upload waits.
  const second = await killedLife({ dataDir, tokensOfCall, dieAt: 'insert entries user written' })
  await second.ask('sessions', { message: 'Read it.', attachments: [id], requestId: 'request-1' }).catch(() => {})
  await second.ended
  const third = await killedLife({ dataDir, tokensOfCall })
  const again = { message: 'Read it.', attachments: [id], requestId: 'request-1' }
  const { id: session } = await third.ask<{ id: string }>('sessions', again)
  await third.kill()

  const last = await life({ dataDir, tokensOfCall })
  await ends(last, session, 1)
  expect((await of(last, session, 'user')).map(({ attachments }) => attachments?.map((file) => file.id))).toEqual([
    [id],
  ])
  expect(await (await last.request('GET', `sessions/${session}/attachments/${id}`)).text()).toBe('uploaded before')
  expect((await last.ask<Page<{ id: string }>>('sessions')).items.map((one) => one.id)).toEqual([session])
}, 60_000)
