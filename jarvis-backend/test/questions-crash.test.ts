import type { Entry, JournalEntry, Page, QuestionsReply } from 'protocol'
import { expect, test } from 'vitest'
import { killedHouse, type Life } from './support/killed-house.ts'

const { newDir, life, eachKill } = killedHouse('jobs')
const soon = { timeout: 60_000 }

const questionsOf = async (one: Life) => (await one.ask<QuestionsReply>('questions')).items
const answer = { said: 'Where they always go.' }

const cases: [dieAt: string, happens: 'asks' | 'is answered', isKept: boolean][] = [
  ['insert questions written', 'asks', false],
  ['insert questions committed', 'asks', true],
  ['insert entries question written', 'asks', false],
  ['update questions ended_at written', 'is answered', false],
  ['update questions ended_at committed', 'is answered', true],
  ['insert entries question_resolved written', 'is answered', false],
]

test('killed while it asks and while it is answered: asked once, answered once, nothing lost', async () => {
  const first = await life({ dataDir: newDir() }, { points: cases.map(([dieAt]) => dieAt) })
  await first.types('Ask me what you need.')
  await expect.poll(() => questionsOf(first), soon).toHaveLength(1)
  const [asked] = await questionsOf(first)
  await first.ask(`questions/${asked?.questionId}`, answer)
  await first.stop()

  await eachKill(cases, async (dieAt, happens, isKept) => {
    const second = await life({ dataDir: first.at(dieAt).dataDir })
    await expect.poll(() => questionsOf(second), soon).toHaveLength(1)
    const [question] = await questionsOf(second)
    const id = question?.questionId ?? ''
    if (happens === 'is answered') expect(id).toBe(asked?.questionId)
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
})
