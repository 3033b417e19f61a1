import { expect, test } from 'vitest'
import type { Entry, JournalEntry, Page, QuestionsReply } from '../src/protocol/index.ts'
import { killedHouse, type Life } from './support/killed-house.ts'

const { newDir, life, killedLife } = killedHouse('jobs')
const soon = { timeout: 60_000 }

const questionsOf = async (one: Life) => (await one.ask<QuestionsReply>('questions')).items
const answer = { said: 'Where they always go.' }

test.each<[dieAt: string, happens: 'asks' | 'is answered', isKept: boolean]>([
  ['insert questions written', 'asks', false],
  ['insert questions committed', 'asks', true],
  ['insert entries question written', 'asks', false],
  ['update questions ended_at written', 'is answered', false],
  ['update questions ended_at committed', 'is answered', true],
  ['insert entries question_resolved written', 'is answered', false],
])('killed at "%s" while it %s: asked once, answered once, nothing lost', async (dieAt, happens, isKept) => {
  const dataDir = newDir()
  const first = await killedLife({ dataDir, dieAt })
  await first.types('Ask me what you need.')
  let firstId: string | undefined
  if (happens === 'is answered') {
    await expect.poll(() => questionsOf(first), soon).toHaveLength(1)
    firstId = (await questionsOf(first))[0]?.questionId
    await first.ask(`questions/${firstId}`, answer).catch(() => undefined)
  }
  await first.ended

  const second = await life({ dataDir })
  await expect.poll(() => questionsOf(second), soon).toHaveLength(1)
  const [question] = await questionsOf(second)
  const id = question?.questionId ?? ''
  if (firstId !== undefined) expect(id).toBe(firstId)
  const isAnswered = happens === 'is answered' && isKept
  const status = (await second.request('POST', `questions/${id}`, answer)).status
  expect(status).toBe(isAnswered ? 409 : 200)

  const ofRun = async () => {
    const { items } = await second.ask<Page<Entry>>(`sessions/${question?.sessionId}/entries?limit=100`)
    return items.map(({ type }) => type)
  }
  await expect.poll(ofRun, soon).toContain('done')
  const types = await ofRun()
  const count = (type: Entry['type']) => types.filter((one) => one === type).length
  expect([count('question'), count('question_resolved'), count('tool_result')]).toEqual([1, 1, 1])
  const { items } = await second.ask<Page<JournalEntry>>('journal?kind=question')
  expect(items.map(({ body }) => (body as { change: string }).change).sort()).toEqual(['answered', 'asked'])
})
