import type { PlanRun } from 'protocol'
import { expect, test } from 'vitest'
import { calls, says, scripted } from './support/scripted-model.ts'
import { type Level, setLevel } from './support/set-level.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
const post = (jarvis: TestJarvis, path: string, body: object) => jarvis.rest(path, { method: 'POST', json: body })

async function started(text: string, options: Parameters<typeof startJarvis>[0] = {}) {
  const jarvis = await startJarvis(options)
  const saved = await jarvis.rest('/api/runbooks/mine', { method: 'PUT', json: { text } })
  expect(await saved.text()).toContain('"faults":[]')
  return { jarvis, screen: await jarvis.connect() }
}

const levels = (second: string, verify = '') => `---
name: Levels
---
## 1. The first
tool: set_level
args: { vmid: 104, to: 9 }
${verify}
## 2. The second
tool: set_level
args: ${second}
`
const later = '{ vmid: 105, to: 12 }'
const never = 'verify: { tool: get_containers, args: {}, until: $result.guests.0.status = gone, within: 1 s }'

async function runLevels(text: string, level: Level = { value: 5, changes: [] }) {
  const both = await started(text, { tools: [setLevel(level)] })
  const { jarvis, screen } = both
  const { sessionId } = await screen.ask('chat:send', { message: '/run mine' })
  const plan = async () => (await json<{ items: PlanRun[] }>(jarvis.rest('/api/plans'))).items[0]
  const decide = (toolUseId: string, confirmed: boolean) =>
    screen.ask('chat:confirm', { sessionId, toolUseId, confirmed })
  return { ...both, level, plan, decide }
}

test('what the plan itself changed is expected; what something else changed gives the step a card of its own', async () => {
  const own = await runLevels(levels('{ vmid: 104, to: 12 }'))
  await own.decide((await own.screen.next('chat:confirm_needed')).toolUseId, true)
  await expect.poll(async () => (await own.plan())?.state).toBe('done')
  expect(own.level.changes).toEqual([9, 12])

  // Both guests share one level here, so the first step changes what the second was approved on.
  const drifting = await runLevels(levels(later))
  await drifting.decide((await drifting.screen.next('chat:confirm_needed')).toolUseId, true)
  const card = await drifting.screen.next('chat:confirm_needed')
  expect(card).toMatchObject({ toolName: 'set_level', now: 'level 9', requestedBy: { kind: 'plan' } })
  // A grant of it would serve other plans.
  expect(card.isGrantable).toBeUndefined()
  expect(await drifting.plan()).toMatchObject({
    state: 'asks',
    steps: [{ state: 'done' }, { state: 'asks', outcome: expect.stringContaining('level has changed') }],
  })
  await drifting.decide(card.toolUseId, true)
  await expect.poll(async () => (await drifting.plan())?.state).toBe('done')
  expect(drifting.level.changes).toEqual([9, 12])
})

test('a plan stops at a denied card, a check that does not come true, and when it is told to', async () => {
  const denied = await runLevels(levels(later))
  await denied.decide((await denied.screen.next('chat:confirm_needed')).toolUseId, true)
  await denied.decide((await denied.screen.next('chat:confirm_needed')).toolUseId, false)
  await expect.poll(async () => (await denied.plan())?.state).toBe('stopped')
  expect(await denied.plan()).toMatchObject({ steps: [{}, { state: 'failed', outcome: /denied by operator/ }] })

  const surprised = await runLevels(levels('{ vmid: 104, to: 12 }', never))
  await surprised.decide((await surprised.screen.next('chat:confirm_needed')).toolUseId, true)
  await expect.poll(async () => (await surprised.plan())?.state).toBe('stopped')
  expect(await surprised.plan()).toMatchObject({ steps: [{ state: 'surprise' }, { state: 'not_begun' }] })
  expect(surprised.level.changes).toEqual([9])

  const told = await runLevels(levels(later))
  await told.decide((await told.screen.next('chat:confirm_needed')).toolUseId, true)
  const { toolUseId } = await told.screen.next('chat:confirm_needed')
  const { id = '' } = (await told.plan()) ?? {}
  expect((await post(told.jarvis, `/api/plans/${id}/stop`, {})).status).toBe(200)
  await expect.poll(async () => (await told.plan())?.state).toBe('stopped')
  expect((await told.screen.request('chat:confirm', { sessionId: '', toolUseId, confirmed: true })).ok).toBe(false)
  expect((await post(told.jarvis, `/api/plans/${id}/stop`, {})).status).toBe(409)
  expect(told.level.changes).toEqual([9])
})

test.each([
  ['a call that cannot work', levels('{ vmid: 105, to: 900 }'), /step 2 "The second", line 9: to: the highest level/],
  [
    'a protected target',
    levels(later).replace(`set_level\nargs: ${later}`, 'restart_service\nargs: { node: agent1, service: pveproxy }'),
    /step 2 "The second", line 9: Refused: node\/agent1 is protected/,
  ],
])('%s refuses the whole plan, and names its step and line', async (_what, text, message) => {
  const level: Level = { value: 5, changes: [] }
  const { jarvis, screen } = await started(text, { tools: [setLevel(level)] })
  await screen.ask('chat:send', { message: '/run mine' })
  expect(await screen.next('chat:tool_result')).toMatchObject({
    isError: true,
    summary: expect.stringMatching(message),
  })
  expect(await json(jarvis.rest('/api/plans'))).toEqual({ items: [] })
  expect(level.changes).toEqual([])
})

test('a plan that drifted while its card waited gets a new card', async () => {
  const { screen, level, decide, plan } = await runLevels(levels(later))
  const first = await screen.next('chat:confirm_needed')
  level.value = 6
  await expect(decide(first.toolUseId, true)).rejects.toThrow(/Its plan has changed/)
  expect(await screen.next('chat:confirm_needed')).toMatchObject({
    callId: first.toolUseId,
    plan: { steps: [{ now: 'level 6' }, {}] },
  })
  expect([level.changes, await plan()]).toEqual([[], undefined])
})

test('a rehearsal shows the plan and runs nothing', async () => {
  const level: Level = { value: 5, changes: [] }
  const { jarvis, screen } = await started(levels(later), { tools: [setLevel(level)] })
  const { sessionId } = await screen.ask('chat:send', { message: '/dry-run on' })
  await screen.next('chat:done')
  await screen.ask('chat:send', { sessionId, message: '/run mine' })
  const result = await screen.next('chat:tool_result')
  expect(result).toMatchObject({ isRehearsal: true, data: { plan: { steps: [{ tier: 'red' }, { tier: 'red' }] } } })
  expect(await json(jarvis.rest('/api/plans'))).toEqual({ items: [] })
})

test('a call that was denied does not come back as a step of a plan', async () => {
  const level: Level = { value: 5, changes: [] }
  const model = scripted(
    calls(['set_level', { vmid: 105, to: 12 }]),
    calls(['run_runbook', { name: 'mine' }]),
    says('Noted.'),
  )
  const { jarvis, screen } = await started(levels(later), { tools: [setLevel(level)], model })
  const { sessionId } = await screen.ask('chat:send', { message: 'Set it.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await screen.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  expect(await screen.next('chat:tool_result')).toMatchObject({
    isError: true,
    summary: expect.stringContaining('Denied by'),
  })
  await screen.next('chat:done')
  expect([await json(jarvis.rest('/api/plans')), level.changes]).toEqual([{ items: [] }, []])
})
