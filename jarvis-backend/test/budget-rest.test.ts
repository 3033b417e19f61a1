import type { BudgetsReply, JournalEntry, Page } from 'protocol'
import { expect, test } from 'vitest'
import { calls, pauses, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const read = async (jarvis: Awaited<ReturnType<typeof startJarvis>>) =>
  (await (await jarvis.rest('/api/budgets')).json()) as BudgetsReply

test('what models used today is shown, and reading it changes nothing', async () => {
  const model = scripted(calls(['get_cluster_status', {}]), says('All is well.'))
  const jarvis = await startJarvis({ model, env: { JARVIS_TITLES: 'off' } })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'How is it?' })
  await operator.next('chat:done')
  const before = await read(jarvis)
  expect(before).toMatchObject({
    run: { calls: 40, tokens: 500_000, usd: 1, minutes: 15 },
    callsPerRun: 10,
    day: { limits: { usd: 5 }, spent: { calls: 2, tokens: 40, usd: 0, unpriced: 2 } },
    agents: [{ id: 'main', spent: { calls: 2 } }],
    kinds: [{ kind: 'turn', spent: { calls: 2 } }],
    unpriced: ['scripted/model'],
    running: [],
  })
  expect(await read(jarvis)).toEqual(before)
})

test('an operator sets limits; that is journalled, and holds for the next call', async () => {
  const jarvis = await startJarvis({ model: scripted(), env: { JARVIS_TITLES: 'off' } })
  const change = { day: { calls: 1, tokens: 1 } }
  expect((await jarvis.rest('/api/budgets', { method: 'PUT', json: { day: { usd: -1 } } })).status).toBe(400)
  expect((await jarvis.rest('/api/budgets', { method: 'PUT', json: change, role: 'viewer' })).status).toBe(403)
  expect((await jarvis.rest('/api/budgets', { method: 'PUT', json: change })).status).toBe(200)
  expect(await read(jarvis)).toMatchObject({ day: { limits: change.day }, run: { usd: 1 } })
  const journal = (await (await jarvis.rest('/api/journal')).json()) as Page<JournalEntry>
  expect(journal.items.find(({ body }) => (body as { change?: string }).change === 'budgets')).toMatchObject({
    body: { by: 'operator', from: { day: { usd: 5 } }, to: { day: change.day } },
  })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'How is it?' })
  expect(await operator.next('chat:done')).toMatchObject({ stopReason: 'budget' })
})

test('an operator allows a run at work more; a run that has ended gets none', async () => {
  const answer = pauses('It ', 'is well.')
  const jarvis = await startJarvis({ model: scripted(answer), env: { JARVIS_TITLES: 'off' } })
  const operator = await jarvis.connect()
  const { runId } = await operator.ask('chat:send', { message: 'How is it?' })
  await operator.next('chat:token')
  const path = `/api/budgets/runs/${runId}`
  const raised = await jarvis.rest(path, { method: 'POST', json: { usd: 1 } })
  expect(await raised.json()).toMatchObject({ runId, raisedUsd: 1, limits: { usd: 2, tokens: 1_000_000 } })
  expect(await operator.next('chat:budget')).toMatchObject({ what: 'raised', by: 'operator', usd: 1 })
  expect((await read(jarvis)).running).toMatchObject([{ runId, raisedUsd: 1 }])
  answer.release()
  await operator.next('chat:done')
  expect((await jarvis.rest(path, { method: 'POST', json: { usd: 1 } })).status).toBe(404)
  const journal = (await (await jarvis.rest('/api/journal')).json()) as Page<JournalEntry>
  expect(journal.items.find(({ body }) => (body as { change?: string }).change === 'budget_raised')).toMatchObject({
    body: { by: 'operator', run: runId, usd: 1 },
  })
})
