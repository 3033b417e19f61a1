import type { SessionSummary, SessionsPage } from 'protocol'
import { expect, test } from 'vitest'
import { as, household, householdPolicy, membersRole } from './support/persons.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

test('a model lists and reads the conversations that its person may read, and no others', async () => {
  const model = scripted(
    says('The plum key lies in the shed.'),
    calls(['list_sessions', {}]),
    says('Listed.'),
    calls(['list_sessions', { words: 'plum' }]),
    says('Listed.'),
  )
  const { jarvis } = await household({ policy: householdPolicy, others: { ben: membersRole }, model })
  const send = (sub: string, method: string, path: string, json?: object) =>
    jarvis.rest(`/api${path}`, { method, ...(json && { json }), ...as(sub) })
  const ask = async (sub: string, message: string) => {
    const { id } = (await (await send(sub, 'POST', '/sessions', { message })).json()) as SessionSummary
    const entries = async () =>
      (
        (await (await send(sub, 'GET', `/sessions/${id}/snapshot`)).json()) as {
          entries: { type: string; result?: string }[]
        }
      ).entries
    await expect.poll(async () => (await entries()).at(-1)?.type).toBe('done')
    return { id, result: (await entries()).find(({ type }) => type === 'tool_result')?.result ?? '' }
  }
  const own = await ask('per_member', 'Where is the key?')
  const others = await ask('per_ben', 'Which conversations are there?')
  expect(others.result).not.toContain('key')
  expect(others.result).toContain(others.id)
  const found = await ask('per_member', 'Which one speaks of it?')
  expect(found.result).toMatch(
    new RegExp(`^${own.id}, .+, 1 messages: Where is the key\\?\n  .*The plum key lies in the shed\\.$`),
  )

  const read = (sub: string, session: string) =>
    send(sub, 'POST', '/sessions', { message: `/read_session session=${JSON.stringify(session)}` })
  const resultOf = async (sub: string, response: Promise<Response>) => {
    const { id } = (await (await response).json()) as SessionSummary
    let result: string | undefined
    await expect
      .poll(async () => {
        const snapshot = await (await send(sub, 'GET', `/sessions/${id}/snapshot`)).json()
        result = (snapshot as { entries: { type: string; result?: string }[] }).entries.find(
          (entry) => entry.type === 'tool_result',
        )?.result
        return result
      })
      .toBeDefined()
    return result
  }
  expect(await resultOf('per_member', read('per_member', own.id))).toMatch(
    /Where is the key\?[\s\S]*JARVIS\]\nThe plum key lies in the shed\./,
  )
  expect(await resultOf('per_ben', read('per_ben', own.id))).toMatch(/^There is no conversation "ses_/)
})

test('the list tells the newest answer and the number of messages, and is narrowed by person, agent and time', async () => {
  const model = scripted(says('First answer.'), says('Second answer.'))
  const jarvis = await startJarvis({ model })
  const members = await jarvis.connect()
  const { sessionId } = await members.ask('chat:send', { message: 'One.' })
  await members.next('chat:done')
  await members.ask('chat:send', { sessionId, message: 'Two.' })
  await members.next('chat:done')
  const list = async (query: string) =>
    ((await (await jarvis.rest(`/api/sessions?${query}`)).json()) as SessionsPage).items.map(({ id }) => id)
  const [item] = ((await (await jarvis.rest('/api/sessions')).json()) as SessionsPage).items
  expect(item).toMatchObject({ id: sessionId, messages: 2, preview: 'Second answer.' })
  const at = item?.updatedAt ?? 0
  expect(await list(`since=${at}&until=${at + 1}&agent=main`)).toEqual([sessionId])
  for (const query of [`until=${at}`, `since=${at + 1}`, 'agent=other', 'person=per_nobody', 'channel=telegram'])
    expect([query, await list(query)]).toEqual([query, []])
})
