import type { SessionSummary } from 'protocol'
import { expect, test } from 'vitest'
import { demoModel } from '../src/providers/index.ts'
import { pauses, says, scripted, someUsage } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

const question = 'Could you please tell me why the node pve is at 81 degrees? It was fine before.'
const secret = 'sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz0123456789'

test('the model names a session after its first answer, redacted, and its cost counts', async () => {
  const model = scripted(says('It is the fan.'), says(`"Heat on pve ${secret}"`), says('Again.'))
  const jarvis = await startJarvis({ model, env: { JARVIS_TITLES: 'on' } })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: question })
  await operator.next('chat:done')
  const { title } = await operator.next('chat:title')
  expect(title).toMatch(/^Heat on pve/)
  expect(title).not.toContain(secret)
  expect(model.requests[1]).toMatchObject({ tools: [], mayCallTools: false })

  await operator.ask('chat:send', { sessionId, message: 'And now?' })
  await operator.next('chat:done')
  // Its own conversation knows nothing of it, and it is named once.
  expect(model.requests[2]?.messages.filter(({ role }) => role === 'assistant')).toHaveLength(1)
  const summary = (await (await jarvis.rest(`/api/sessions/${sessionId}`)).json()) as SessionSummary
  expect(summary).toMatchObject({ title, usage: { inputTokens: 3 * someUsage.inputTokens } })
  expect(model.left()).toBe(0)
})

test('a name that a person gave in the meantime stays', async () => {
  const naming = pauses('Heat', ' on pve')
  const jarvis = await startJarvis({ model: scripted(says('It is the fan.'), naming), env: { JARVIS_TITLES: 'on' } })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: question })
  await operator.next('chat:done')
  await jarvis.rest(`/api/sessions/${sessionId}`, { method: 'PATCH', json: { title: 'Mine' } })
  naming.release()
  // The line that says what it cost is the naming's last but the name.
  await operator.next('chat:assistant')
  await operator.next('chat:assistant')
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(snapshot.title).toBe('Mine')
})

test('a model that is not configured for titles is not asked', async () => {
  const model = scripted(says('It is the fan.'))
  const jarvis = await startJarvis({ model })
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: question })
  await operator.next('chat:done')
  const { snapshot } = await operator.ask('chat:attach', { sessionId })
  expect(snapshot.title).toMatch(/^Could you please/)
  expect(model.requests).toHaveLength(1)
})

test('the demo names a session by its first clause', async () => {
  const jarvis = await startJarvis({
    model: demoModel({ cluster: () => jarvis.homelab.cluster.state() }),
    env: { JARVIS_TITLES: 'on' },
  })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Could you please show me the temperature of pve? It was fine before.' })
  expect((await operator.next('chat:title')).title).toBe('Show me the temperature of pve')
})
