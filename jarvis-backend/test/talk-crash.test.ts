import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BudgetsReply, Entry, EntryOf, JournalEntry, Page, SkillList, SkillTree } from '../src/protocol/index.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { createSettings } from '../src/store/sqlite/settings.ts'
import type { TalkStart } from './crash/talk-server.ts'
import { folder } from './support/data-dir.ts'
import { killedProgram } from './support/killed-programs.ts'
import { skillText } from './support/skills.ts'
import { jwtSecret, tokenFor } from './support/start-jarvis.ts'

let program = ''
const alive = new Set<ChildProcess>()
beforeAll(async () => {
  program = await killedProgram('talk-server')
})
afterAll(() => {
  for (const child of alive) child.kill('SIGKILL')
})

const tokensOfCall = 30_000

async function life(start: Omit<TalkStart, 'jwtSecret' | 'tokensOfCall'>) {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
  })
  alive.add(child)
  const ended = once(child, 'exit').then(() => alive.delete(child))
  await once(child, 'message')
  const listening = once(child, 'message')
  child.send({ ...start, tokensOfCall, jwtSecret })
  const [{ url }] = (await listening) as [{ url: string }]
  // A password elevates one token.
  const token = tokenFor('operator')
  const request = (place: string, body?: object) =>
    fetch(`${url}/api/${place}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  const read = async <T>(place: string) => (await (await request(place)).json()) as T
  const entries = async (id: string) => (await read<Page<Entry>>(`sessions/${id}/entries?limit=200`)).items
  return {
    ended,
    request,
    read,
    async of<T extends Entry['type']>(id: string, type: T) {
      return (await entries(id)).filter((entry): entry is EntryOf<T> => entry.type === type)
    },
    async say(text: string, sessionId?: string): Promise<string> {
      const sent = once(child, 'message')
      child.send({ say: text, sessionId })
      return ((await sent) as [{ sessionId: string }])[0].sessionId
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
type Life = Awaited<ReturnType<typeof life>>

const ends = async (server: Life, id: string, count: number) =>
  expect.poll(async () => (await server.of(id, 'done')).length, { timeout: 30_000 }).toBe(count)
const callsIn = (dataDir: string, kind: string) =>
  readFileSync(join(dataDir, 'calls'), 'utf8')
    .split('\n')
    .filter((line) => line === kind).length

test('a fold that is killed is made once, and loses nothing', async () => {
  const dataDir = folder()
  const first = await life({ dataDir })
  const id = await first.say('Message 0.')
  await ends(first, id, 1)
  await first.kill()
  let [said, folds] = [1, 0]
  for (const dieAt of ['model fold 1', 'insert entries compaction written', 'insert entries compaction committed']) {
    const before = await life({ dataDir, dieAt })
    await before.say(`Message ${said}.`, id)
    said += 1
    await ends(before, id, said + folds)
    await before.request(`sessions/${id}/fold`, {}).catch(() => {})
    await before.ended
    folds += 1

    const after = await life({ dataDir })
    await ends(after, id, said + folds)
    const made = await after.of(id, 'compaction')
    expect([dieAt, made.length]).toEqual([dieAt, folds])
    const facts = JSON.stringify(made.at(-1)?.facts)
    for (let number = 0; number < said - 1; number += 1) expect(facts).toContain(`Message ${number}.`)
    const texts = (await after.of(id, 'user')).map(({ text }) => text)
    expect(texts.filter((text) => text.startsWith('Message'))).toHaveLength(said)
    expect(await after.read('journal/verify')).toMatchObject({ ok: true })
    await after.kill()
  }
}, 120_000)

test('a run that is killed near its limit passes it in no life, and gives one last answer at most', async () => {
  const dataDir = folder()
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
    const before = await life({ dataDir, dieAt })
    const id = await before.say('Look until nothing is left.')
    await before.ended

    const after = await life({ dataDir })
    await ends(after, id, 1)
    const [done] = await after.of(id, 'done')
    const calls = callsIn(dataDir, 'turn') + callsIn(dataDir, 'last') - counted
    counted += calls
    expect([dieAt, done?.stopReason]).toEqual([dieAt, 'budget'])
    expect(calls).toBeGreaterThan(1)
    expect(calls * tokensOfCall).toBeLessThanOrEqual(limit)
    expect(callsIn(dataDir, 'last') - lasts).toBeLessThanOrEqual(1)
    lasts = callsIn(dataDir, 'last')
    expect((await after.of(id, 'budget')).filter(({ what }) => what === 'stopped')).toHaveLength(1)
    const { day } = await after.read<BudgetsReply>('budgets')
    expect(day.spent.tokens).toBeGreaterThanOrEqual(counted * tokensOfCall)
    await after.kill()
  }
}, 120_000)

test('a skill whose approval is killed is approved with its journal entry, or not at all', async () => {
  const dataDir = folder()
  const names = {
    'insert skills written': 'one',
    'insert journal skill written': 'two',
    'insert skills committed': 'three',
  }
  // The shipped ones are approved here, so that no point is reached by them.
  await (await life({ dataDir })).kill()
  for (const name of Object.values(names)) {
    mkdirSync(join(dataDir, 'workspace/skills', name), { recursive: true })
    writeFileSync(join(dataDir, 'workspace/skills', name, 'SKILL.md'), skillText(name))
  }
  for (const [dieAt, name] of Object.entries(names)) {
    const before = await life({ dataDir, dieAt })
    await before.request('auth/step-up', { password: 'correct-horse-battery' })
    const { hash } = await before.read<SkillTree>(`skills/${name}`)
    await before.request(`skills/${name}/approve`, { hash }).catch(() => {})
    await before.ended
  }
  const after = await life({ dataDir })
  const { items } = await after.read<SkillList>('skills')
  const approved = items.filter(({ name, state }) => state === 'approved' && Object.values(names).includes(name))
  expect(approved.map(({ name }) => name)).toEqual(['three'])
  const journal = await after.read<Page<JournalEntry>>('journal?kind=skill')
  expect(journal.items.map(({ body }) => body)).toMatchObject([{ change: 'approved', skill: 'three', by: 'operator' }])
  expect(await after.read('journal/verify')).toMatchObject({ ok: true })
  await after.kill()
}, 60_000)

test('a file that was uploaded before a kill goes with the message after it, and is there after another', async () => {
  const dataDir = folder()
  const first = await life({ dataDir })
  const data = Buffer.from('uploaded before').toString('base64')
  const { id } = (await (await first.request('attachments', { name: 'a.txt', data })).json()) as { id: string }
  await first.kill()

  // Killed in the transaction that stores the message: neither is sent, and the upload waits.
  const second = await life({ dataDir, dieAt: 'insert entries user written' })
  await second.request('sessions', { message: 'Read it.', attachments: [id], requestId: 'request-1' }).catch(() => {})
  await second.ended
  const third = await life({ dataDir })
  const sent = await third.request('sessions', { message: 'Read it.', attachments: [id], requestId: 'request-1' })
  const { id: session } = (await sent.json()) as { id: string }
  await third.kill()

  const last = await life({ dataDir })
  await ends(last, session, 1)
  expect((await last.of(session, 'user')).map(({ attachments }) => attachments?.map((file) => file.id))).toEqual([[id]])
  expect(await (await last.request(`sessions/${session}/attachments/${id}`)).text()).toBe('uploaded before')
  expect((await last.read<Page<{ id: string }>>('sessions')).items.map((one) => one.id)).toEqual([session])
  await last.kill()
}, 60_000)
