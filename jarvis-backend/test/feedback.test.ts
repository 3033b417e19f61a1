import type { Feedback, Page } from 'protocol'
import { expect, test } from 'vitest'
import { as, household, membersRole } from './support/persons.ts'
import { says, scripted } from './support/scripted-model.ts'

const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'

test('ratings and texts on JARVIS stand in one list, everybody’s for operators and each person’s own', async () => {
  const { jarvis, program } = await household({ model: scripted(says('Hello.')), others: { bea: membersRole } })
  const rest = (person: string, path: string, options: object = {}) => jarvis.rest(path, { ...as(person), ...options })
  const listOf = async (person: string, query = '') =>
    (await (await rest(person, `/api/feedback${query}`)).json()) as Page<Feedback>
  const give = async (person: string, json: object) => rest(person, '/api/feedback', { method: 'POST', json })

  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Hello' })
  await screen.next('chat:done')
  const { items } = await jarvis.as('operator').call('GET /api/sessions/:id/entries', { params: { id: sessionId } })
  const seq = items.find(({ type }) => type === 'assistant')?.seq ?? -1
  const rate = (rating: 'up' | 'down' | null, note?: string) =>
    jarvis.as('operator').call('PUT /api/sessions/:id/entries/:seq/rating', {
      params: { id: sessionId, seq: String(seq) },
      body: { rating, ...(note !== undefined && { note }) },
    })
  await rate('down', `It shows ${key}.`)

  // A viewer, who may not chat, and a member say something too; what looks like a key is redacted.
  expect((await give('per_viewer', { text: `Too slow. ${key}` })).status).toBe(201)
  const given = (await (await give('per_member', { text: 'Nice.' })).json()) as Feedback
  expect(given).toMatchObject({ about: 'jarvis', person: 'per_member', name: 'the-member', text: 'Nice.' })
  const all = (await listOf('per_operator')).items
  expect(all).toMatchObject([
    { person: 'per_member', text: 'Nice.' },
    { person: 'per_viewer', text: expect.stringContaining('Too slow.') },
    { about: 'answer', rating: 'down', name: 'operator', sessionId, seq, text: expect.stringContaining('It shows') },
  ])
  expect(JSON.stringify(all)).not.toContain(key)
  expect((await listOf('per_member')).items.map(({ text }) => text)).toEqual(['Nice.'])
  expect((await listOf('per_bea')).items).toEqual([])
  expect((await listOf('per_operator', '?about=answer')).items).toHaveLength(1)
  const first = await listOf('per_operator', '?limit=2')
  expect((await listOf('per_operator', `?limit=2&before=${first.next}`)).items).toEqual(all.slice(2))
  expect(await (await rest('per_owner', '/api/feedback/export')).text()).toBe(
    all.map((item) => `${JSON.stringify(item)}\n`).join(''),
  )

  // A conversation that is closed to the person is not there to be spoken of, and a program reads as its person.
  expect((await give('per_bea', { text: 'Bad.', sessionId, seq })).status).toBe(404)
  expect(await (await give('per_owner', { text: 'Bad.', sessionId, seq })).json()).toMatchObject({ sessionId, seq })
  const token = program('per_member', 'read', { doors: ['api'] })
  const asked = await fetch(`${jarvis.url}/api/feedback`, { headers: { authorization: `Bearer ${token}` } })
  expect(((await asked.json()) as Page<Feedback>).items).toHaveLength(1)

  expect((await rest('per_bea', `/api/feedback/${given.id}`, { method: 'DELETE' })).status).toBe(404)
  expect((await rest('per_member', `/api/feedback/${given.id}`, { method: 'DELETE' })).status).toBe(204)
  await rate(null)
  expect((await listOf('per_operator')).items.map(({ text }) => text)).toEqual([
    'Bad.',
    expect.stringContaining('Too slow.'),
  ])
})
