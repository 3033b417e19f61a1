import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Entry, JournalEntry, Page, QuestionsReply } from '../src/protocol/index.ts'
import type { JobStart } from './crash/job-server.ts'
import { folder } from './support/data-dir.ts'
import { killedProgram } from './support/killed-programs.ts'
import { jwtSecret, tokenFor } from './support/start-jarvis.ts'

let program = ''
const alive = new Set<ChildProcess>()
beforeAll(async () => {
  program = await killedProgram('job-server')
})
afterAll(() => {
  for (const child of alive) child.kill('SIGKILL')
})

async function life(start: Omit<JobStart, 'jwtSecret'>) {
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
  const token = tokenFor('operator')
  const socket = io(`${url}/chat`, { auth: { token }, transports: ['websocket'], reconnection: false })
  onTestFinished(() => void socket.disconnect())
  const rest = (place: string, body?: object) =>
    fetch(`${url}/api/${place}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  const read = async <T>(place: string) => (await (await rest(place)).json()) as T
  return {
    ended,
    rest,
    read,
    say: (message: string) => void socket.emit('chat:send', { message }),
    questions: async () => (await read<QuestionsReply>('questions')).items,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const answer = { said: 'Where they always go.' }

test.each<[dieAt: string, happens: 'asks' | 'is answered', isKept: boolean]>([
  ['insert questions written', 'asks', false],
  ['insert questions committed', 'asks', true],
  ['insert entries question written', 'asks', false],
  ['update questions ended_at written', 'is answered', false],
  ['update questions ended_at committed', 'is answered', true],
  ['insert entries question_resolved written', 'is answered', false],
])('killed at "%s" while it %s: asked once, answered once, nothing lost', async (dieAt, happens, isKept) => {
  const dataDir = folder()
  const first = await life({ dataDir, dieAt })
  first.say('Ask me what you need.')
  let firstId: string | undefined
  if (happens === 'is answered') {
    await expect.poll(first.questions, { timeout: 60_000 }).toHaveLength(1)
    firstId = (await first.questions())[0]?.questionId
    await first.rest(`questions/${firstId}`, answer).catch(() => undefined)
  }
  await first.ended

  const second = await life({ dataDir })
  await expect.poll(second.questions, { timeout: 60_000 }).toHaveLength(1)
  const [question] = await second.questions()
  const id = question?.questionId ?? ''
  if (firstId !== undefined) expect(id).toBe(firstId)
  const isAnswered = happens === 'is answered' && isKept
  const status = (await second.rest(`questions/${id}`, answer)).status
  expect(status).toBe(isAnswered ? 409 : 200)

  const ofRun = async () => {
    const { items } = await second.read<Page<Entry>>(`sessions/${question?.sessionId}/entries?limit=100`)
    return items.map(({ type }) => type)
  }
  await expect.poll(ofRun, { timeout: 60_000 }).toContain('done')
  const types = await ofRun()
  const count = (type: Entry['type']) => types.filter((one) => one === type).length
  expect([count('question'), count('question_resolved'), count('tool_result')]).toEqual([1, 1, 1])
  const { items } = await second.read<Page<JournalEntry>>('journal?kind=question')
  expect(items.map(({ body }) => (body as { change: string }).change).sort()).toEqual(['answered', 'asked'])
  await second.kill()
})
