import type { PlanRun, RunbookCheck, RunbookRunReply } from 'protocol'
import { expect, test } from 'vitest'
import { says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
const post = (jarvis: TestJarvis, path: string, body: object) => jarvis.rest(path, { method: 'POST', json: body })

async function started(text: string, options: Parameters<typeof startJarvis>[0] = {}) {
  const jarvis = await startJarvis({ model: scripted(says('Noted.')), ...options })
  const saved = await jarvis.rest('/api/runbooks/mine', { method: 'PUT', json: { text } })
  expect(await saved.text()).toContain('"faults":[]')
  return { jarvis, screen: await jarvis.connect() }
}

const restart = `---
name: Restart a container
inputs:
  vmid: { type: guest }
---
## 1. Which containers run
tool: get_containers
args: { status: running }
as: running

## 2. Restart it
tool: restart_container
when: $running.guests(vmid=$vmid).status = running
args: { vmid: $vmid }
verify:
  tool: get_containers
  args: {}
  until: $result.guests(vmid=$vmid).status = running
  within: 1 min
undo: none

## 3. How it is
tool: get_containers
args: { status: running }
`

test('a plan is read, asked once with every call, run and checked step by step', async () => {
  const { jarvis, screen } = await started(restart)
  const { plan } = await json<RunbookCheck>(
    post(jarvis, '/api/runbooks/check', { text: restart, inputs: { vmid: 104 } }),
  )
  expect(plan?.problem).toBeUndefined()
  expect(plan?.steps).toMatchObject([
    { number: 1, tier: 'green', state: 'done', read: expect.stringContaining('running') },
    {
      number: 2,
      tier: 'red',
      state: 'waits',
      when: 'status of guest 104 is running',
      toolInput: { vmid: 104 },
    },
    { number: 3, tier: 'green', state: 'waits' },
  ])

  await screen.ask('chat:send', { message: '/run mine vmid=104' })
  const card = await screen.next('chat:confirm_needed')
  expect(card).toMatchObject({ toolName: 'run_runbook', plan: { runbook: 'mine', steps: [{}, { tier: 'red' }, {}] } })
  expect(card.isGrantable).toBeUndefined()
  await screen.ask('chat:confirm', { sessionId: card.sessionId, toolUseId: card.toolUseId, confirmed: true })
  await expect.poll(async () => (await json<PlanRun>(jarvis.rest(`/api/plans/${card.toolUseId}`))).state).toBe('done')
  const done = await json<PlanRun>(jarvis.rest(`/api/plans/${card.toolUseId}`))
  expect(done).toMatchObject({
    runbook: 'mine',
    by: 'operator',
    steps: [
      { state: 'done' },
      { state: 'done', outcome: expect.stringContaining('status of guest 104 is running') },
      { state: 'done' },
    ],
  })
  const result = screen.received.findLast(({ payload }) => payload.toolUseId === card.toolUseId)
  expect(result?.payload).toMatchObject({ isError: false, summary: 'done, 3 steps' })
  const { items } = await json<{ items: { kind: string; body: Record<string, unknown> }[] }>(
    jarvis.rest('/api/journal'),
  )
  const steps = items.filter(({ kind, body }) => kind === 'plan' && body.change === 'step')
  expect(steps.map(({ body }) => body.step).sort()).toEqual([2, 3])
  const executions = items.filter(({ kind }) => kind === 'execution').map(({ body }) => body)
  expect(executions).toMatchObject([
    { toolName: 'restart_container', by: 'operator', grantId: `plan:${card.toolUseId}` },
    { toolName: 'run_runbook' },
  ])
})

test('a run over REST shows its card in a session of its own', async () => {
  const { jarvis, screen } = await started(restart)
  const { sessionId } = await json<RunbookRunReply>(post(jarvis, '/api/runbooks/mine/run', { inputs: { vmid: 104 } }))
  const pending = async () => (await screen.ask('chat:attach', { sessionId })).snapshot.pending
  await expect.poll(pending).toHaveLength(1)
})
