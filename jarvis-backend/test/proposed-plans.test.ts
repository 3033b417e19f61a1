import type { PlanRun } from 'protocol'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { reads } from '../src/gate/targets.ts'
import { defineTool } from '../src/tools/tool.ts'
import { failingRows } from './support/failing-rows.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { type Level, setLevel } from './support/set-level.ts'
import { startJarvis } from './support/start-jarvis.ts'

const json = async <T>(answer: Promise<Response>) => (await (await answer).json()) as T
const level = (): Level => ({ value: 5, changes: [] })
type Steps = Record<string, unknown>[]

const set = (id: string, vmid: unknown, to: number, more: object = {}) => ({
  id,
  tool: 'set_level',
  input: { vmid, to },
  ...more,
})
const looks = (id: string, more: object = {}) => ({ id, tool: 'get_containers', input: {}, ...more })
/** Never so, and looked at for one second. */
const never = { tool: 'get_containers', input: {}, path: 'guests.0.status', op: '=', value: 'gone', withinS: 1 }

/** A model that proposes a plan, and then answers. */
async function proposed(steps: Steps, at = level(), more: Parameters<typeof startJarvis>[0] = {}) {
  const model = scripted(calls(['propose_plan', { goal: 'Bring 104 and 105 to a level', steps }]), says('Noted.'))
  const jarvis = await startJarvis({ tools: [setLevel(at)], model, ...more })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Set the level of 104 and 105.' })
  const plan = async () => (await json<{ items: PlanRun[] }>(jarvis.rest('/api/plans'))).items[0]
  const decide = (toolUseId: string, confirmed: boolean) =>
    screen.ask('chat:confirm', { sessionId, toolUseId, confirmed })
  return { jarvis, screen, sessionId, plan, decide, level: at, model }
}

test('a proposed plan is one card, runs without the model in its order, and tells the model how it went', async () => {
  const { screen, level, plan, decide, model, jarvis } = await proposed([
    set('second', 104, 12, { after: ['first'] }),
    set('first', { step: 'found', path: 'guests(name=jellyfin).vmid' }, 9, {
      check: { tool: 'get_containers', input: {}, path: 'guests(vmid=104).status', op: '=', value: 'running' },
    }),
    looks('found'),
  ])
  const card = await screen.next('chat:confirm_needed')
  expect(card).toMatchObject({
    toolName: 'propose_plan',
    plan: {
      goal: 'Bring 104 and 105 to a level',
      steps: [
        { tier: 'green', state: 'done' },
        {
          tier: 'red',
          toolInput: { vmid: 104, to: 9 },
          now: 'level 5',
          check: 'status of guest 104 is running within 1 min',
        },
        { tier: 'red', toolInput: { vmid: 104, to: 12 } },
      ],
    },
  })
  expect(card.plan?.title).not.toContain('Bring')
  await decide(card.toolUseId, true)
  await screen.next('chat:done')
  expect([level.changes, (await plan())?.state]).toEqual([[9, 12], 'done'])
  const [, last] = model.requests
  expect(JSON.stringify(last?.messages.at(-1))).toContain('A plan of 3 steps is done.')
  const { items } = await json<{ items: { kind: string; body: Record<string, unknown> }[] }>(
    jarvis.rest('/api/journal'),
  )
  const grants = items.filter(({ kind }) => kind === 'execution').map(({ body }) => body.grantId)
  expect(grants).toEqual([`plan:${card.toolUseId}`, `plan:${card.toolUseId}`, undefined])
})

test('the approval of a plan covers steps whose arguments their tool takes in another form', async () => {
  const { screen, level, plan, decide, jarvis } = await proposed([
    set('one', '104', 9),
    set('two', 104, 12, { input: { vmid: 104, to: '12', expect: null } }),
  ])
  const { toolUseId } = await screen.next('chat:confirm_needed')
  await decide(toolUseId, true)
  await screen.next('chat:done')
  expect([level.changes, (await plan())?.state]).toEqual([[9, 12], 'done'])
  const { items } = await json<{ items: { kind: string; body: Record<string, unknown> }[] }>(
    jarvis.rest('/api/journal'),
  )
  const ran = items.filter(({ kind, body }) => kind === 'execution' && body.toolName === 'set_level')
  expect(ran.map(({ body }) => body.grantId)).toEqual([`plan:${toolUseId}`, `plan:${toolUseId}`])
})

const badPlans: [what: string, steps: Steps, message: RegExp][] = [
  [
    'a cycle',
    [set('a', 104, 9, { after: ['b'] }), set('b', 105, 9, { after: ['a'] })],
    /step \d "[ab]": Its steps wait for each other: /,
  ],
  ['a step after itself', [set('a', 104, 9, { after: ['a'] }), looks('b')], /step 1 "a": It comes after itself/],
  ['an unknown step', [set('a', 104, 9, { after: ['c'] }), looks('b')], /step 1 "a": There is no step c/],
  [
    'an unknown tool',
    [looks('b'), { id: 'a', tool: 'set_levels', input: {} }],
    /step 2 "a": No step can be set_levels.*Did you mean set_level\?/,
  ],
  [
    'a tool that starts plans',
    [looks('b'), { id: 'a', tool: 'run_runbook', input: { name: 'x' } }],
    /step 2 "a": No step can be run_runbook/,
  ],
  [
    'a tool of the chat',
    [looks('b'), { id: 'a', tool: 'update_plan', input: { items: [] } }],
    /step 2 "a": No step can be update_plan/,
  ],
  [
    'an argument that there is not',
    [looks('b'), set('a', 104, 9, { input: { vmid: 104, too: 9 } })],
    /step 2 "a": set_level takes no argument too.*Did you mean to\?/,
  ],
  ['an argument of another kind', [looks('b'), set('a', 'x', 9)], /step 2 "a": set_level does not take this/],
  ['a call that cannot work', [looks('b'), set('a', 104, 900)], /step 2 "a": to: the highest level/],
  [
    'a protected target',
    [looks('b'), { id: 'a', tool: 'restart_service', input: { node: 'agent1', service: 'pveproxy' } }],
    /step 2 "a": Refused: node\/agent1 is protected/,
  ],
  [
    'a value of a change',
    [set('a', 104, 9), set('b', { step: 'a', path: 'vmid' }, 9)],
    /step 2 "b": It takes a value from a, but only a read gives a value/,
  ],
  [
    'a value that is read after a change',
    [set('a', 104, 9), looks('b', { after: ['a'] }), set('c', { step: 'b', path: 'guests.0.vmid' }, 9)],
    /step 3 "c": .*it is read after a change/,
  ],
  [
    'a value that no read gives',
    [looks('b'), set('a', { step: 'b', path: 'guests.0.vmidd' }, 9)],
    /step 2 "a": b.guests.0.vmidd: .*Did you mean vmid\?/,
  ],
  [
    'a value that is not there',
    [looks('b'), set('a', { step: 'b', path: 'guests(name=nobody).vmid' }, 9)],
    /step 2 "a": .*is not there/,
  ],
  [
    'a path that is none',
    [looks('b'), set('a', { step: 'b', path: '../x' }, 9)],
    /step 2 "a": The path "\.\.\/x" is none/,
  ],
  [
    'a check that changes something',
    [looks('b'), set('a', 104, 9, { check: { ...never, tool: 'set_level' } })],
    /step 2 "a": Its check only reads/,
  ],
  ['two steps of one id', [looks('b'), looks('b')], /step 2 "b": Another step has the id b/],
]
test('a plan with a faulty step is refused whole, names the step, and runs nothing', async () => {
  const at = level()
  const turns = badPlans.flatMap(([, steps]) => [
    calls(['propose_plan', { goal: 'Bring 104 and 105 to a level', steps }]),
    says('Noted.'),
  ])
  const jarvis = await startJarvis({ tools: [setLevel(at)], model: scripted(...turns) })
  const judge = async ([, , message]: (typeof badPlans)[number]) => {
    const screen = await jarvis.connect()
    await screen.ask('chat:send', { message: 'Set the level of 104 and 105.' })
    const result = await screen.next('chat:tool_result')
    await screen.next('chat:done')
    expect(result).toMatchObject({ isError: true, summary: expect.stringMatching(message) })
    expect([at.changes, await json(jarvis.rest('/api/plans'))]).toMatchObject([[], { items: [] }])
  }
  expect(await failingRows(badPlans, judge)).toEqual([])
})

test('a step that fails and may be skipped is passed over, with all that comes after it', async () => {
  const { screen, level, plan, decide } = await proposed([
    set('a', 104, 9, { check: never, onFailure: 'skip' }),
    set('b', 104, 12, { after: ['a'] }),
    looks('c', { after: ['b'] }),
    looks('d'),
  ])
  await decide((await screen.next('chat:confirm_needed')).toolUseId, true)
  await screen.next('chat:done')
  expect(await plan()).toMatchObject({
    state: 'done',
    why: 'It went on where a step failed: 1.',
    steps: [
      { state: 'surprise', onFailure: 'skip' },
      { state: 'skipped', outcome: 'left out, because step 1 did not go as planned' },
      { state: 'skipped' },
      { state: 'done' },
    ],
  })
  expect(level.changes).toEqual([9])
})

test('a rehearsal shows what would run, and runs nothing', async () => {
  const at = level()
  const model = scripted(calls(['propose_plan', { goal: 'x', steps: [looks('a'), set('b', 104, 9)] }]), says('Noted.'))
  const jarvis = await startJarvis({ tools: [setLevel(at)], model })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: '/dry-run on' })
  await screen.next('chat:done')
  await screen.ask('chat:send', { sessionId, message: 'Set the level of 104.' })
  expect(await screen.next('chat:tool_result')).toMatchObject({
    isRehearsal: true,
    result: expect.stringMatching(/^Rehearsal: nothing was run\. propose_plan "x": 1\. \w+[^{}]*; 2\. set_level /),
    data: { plan: { goal: 'x', steps: [{ state: 'done' }, { tier: 'red' }] } },
  })
  expect(await json(jarvis.rest('/api/plans'))).toEqual({ items: [] })
  expect(at.changes).toEqual([])
})

test.each([1, 2, 3])('a read that fails %i times is tried three times in all, for a plan alone', async (faults) => {
  let times = 0
  const flaky = defineTool({
    name: 'read_gauge',
    title: 'Read the gauge',
    description: 'Reads the gauge.',
    tier: 'green',
    touches: [{ kind: 'read', on: 'site' }],
    effects: (_input, world) => reads({}, world),
    timeoutMs: 5_000,
    input: z.strictObject({}),
    async run() {
      times += 1
      if (times <= faults) throw new Error('The gauge did not answer.')
      return { text: '7', summary: 'at 7' }
    },
  })
  const at = level()
  const steps = [{ id: 'read', tool: 'read_gauge', input: {} }, set('one', 104, 9)]
  const model = scripted(calls(['propose_plan', { goal: 'x', steps }]), says('Noted.'))
  const jarvis = await startJarvis({ tools: [setLevel(at), flaky], model })
  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: 'Set the level of 104.' })
  if (faults < 3)
    expect(await screen.next('chat:confirm_needed')).toMatchObject({ plan: { steps: [{ read: 'at 7' }, {}] } })
  else
    expect(await screen.next('chat:tool_result')).toMatchObject({
      isError: true,
      result: expect.stringContaining('The gauge did not answer.'),
    })
  expect(times).toBe(Math.min(3, faults + 1))
})
