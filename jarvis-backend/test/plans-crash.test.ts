import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PlanRun } from '../src/protocol/index.ts'
import { killedHouse, type Life } from './support/killed-house.ts'

const { newDir, life, killedLife } = killedHouse('changes')
const planOf = async (one: Life) => (await one.ask<{ items: PlanRun[] }>('plans')).items[0]

/** Two changes of one thing; the check of the first never comes true in the second runbook. */
const runbook = (first: string) => `---
name: Two levels
---
## 1. The first
tool: set_level
args: { vmid: 104, to: 9 }
${first}
## 2. The second
tool: set_level
args: { vmid: 104, to: 12 }
`
const neverSeen = `verify:
  tool: get_containers
  args: {}
  until: $result.guests(vmid=104).status = paused
  within: 5 min
`

/** The same two changes as a model's plan. */
const proposed = (check?: object) => [
  { id: 'a', tool: 'set_level', input: { vmid: 104, to: 9 }, ...(check && { check }) },
  { id: 'b', tool: 'set_level', input: { vmid: 104, to: 12 }, after: ['a'] },
]
const neverSo = {
  tool: 'get_containers',
  input: {},
  path: 'guests(vmid=104).status',
  op: '=',
  value: 'paused',
  withinS: 300,
}

type Case = { levels: number[]; state: PlanRun['state']; steps: string[]; dieAt?: string; first?: string }
const cases: [string, Case][] = [
  ['never', { levels: [5, 9, 12], state: 'done', steps: ['done', 'done'] }],
  ['when a step was claimed', { dieAt: '1 before', levels: [5], state: 'unknown', steps: ['unknown', 'not_begun'] }],
  ['when a step had run', { dieAt: '1 after', levels: [5, 9], state: 'unknown', steps: ['unknown', 'not_begun'] }],
  ['when the second was claimed', { dieAt: '2 before', levels: [5, 9], state: 'unknown', steps: ['done', 'unknown'] }],
  ['when the second had run', { dieAt: '2 after', levels: [5, 9, 12], state: 'unknown', steps: ['done', 'unknown'] }],
  [
    'while a step was checked',
    { first: neverSeen, levels: [5, 9], state: 'stopped', steps: ['surprise', 'not_begun'] },
  ],
]
test.each(
  (['runbook', 'model'] as const).flatMap((maker) => cases.map(([when, expected]) => [maker, when, expected] as const)),
)(
  'the plan of a %s, killed %s: each step runs once at most, and the plan says where it stands',
  async (maker, _when, expected) => {
    const { levels, state, steps, dieAt, first = '' } = expected
    const dataDir = newDir()
    writeFileSync(join(dataDir, 'levels'), '5\n')
    mkdirSync(join(dataDir, 'workspace/runbooks'), { recursive: true })
    writeFileSync(join(dataDir, 'workspace/runbooks/two.md'), runbook(first))
    const proposes = maker === 'model' ? proposed(first === '' ? undefined : neverSo) : undefined
    const start = { dataDir, ...(proposes && { proposes }) }
    const one = await killedLife({ ...start, skipMs: 0, ...(dieAt && { dieAt }) })
    if (maker === 'model') await one.types('Set the level of 104.')
    else await one.ask('runbooks/two/run', { inputs: {} })
    await expect.poll(one.waiting).toHaveLength(1)
    const [card] = await one.waiting()
    await one.ask(`confirmations/${card?.toolUseId}`, { confirmed: true }).catch(() => {})
    if (dieAt !== undefined) await one.ended
    else {
      const last = first === '' ? 'done' : 'checking'
      const seen = async () => (await planOf(one))?.steps.some((step) => step.state === last)
      await expect.poll(seen).toBe(true)
      if (first === '') await expect.poll(async () => (await planOf(one))?.state).toBe('done')
      await one.kill()
    }

    const two = await life({ ...start, skipMs: 11 * 60_000 })
    await expect.poll(async () => (await planOf(two))?.state).toBe(state)
    expect((await planOf(two))?.steps.map((step) => step.state)).toEqual(steps)
    expect(readFileSync(join(dataDir, 'levels'), 'utf8').trim().split('\n').map(Number)).toEqual(levels)
    expect(await two.ask('journal/verify')).toMatchObject({ ok: true })
  },
  60_000,
)

test.each([
  // The decision is not stored, so the card still waits.
  ['runbook', 'insert plans written', true],
  ['model', 'insert plans committed', false],
] as const)(
  'the plan of a %s, killed at "%s" before its first claim, runs each step once',
  async (maker, dieAt, waits) => {
    const dataDir = newDir()
    writeFileSync(join(dataDir, 'levels'), '5\n')
    mkdirSync(join(dataDir, 'workspace/runbooks'), { recursive: true })
    writeFileSync(join(dataDir, 'workspace/runbooks/two.md'), runbook(''))
    const start = { dataDir, skipMs: 0, ...(maker === 'model' && { proposes: proposed() }) }
    const one = await killedLife({ ...start, dieAt })
    if (maker === 'model') await one.types('Set the level of 104.')
    else await one.ask('runbooks/two/run', { inputs: {} })
    await expect.poll(one.waiting).toHaveLength(1)
    const [card] = await one.waiting()
    await one.ask(`confirmations/${card?.toolUseId}`, { confirmed: true }).catch(() => {})
    await one.ended

    const two = await life(start)
    expect((await two.waiting()).map(({ toolUseId }) => toolUseId)).toEqual(waits ? [card?.toolUseId] : [])
    if (waits) await two.ask(`confirmations/${card?.toolUseId}`, { confirmed: true })
    await expect.poll(async () => (await planOf(two))?.state).toBe('done')
    expect(readFileSync(join(dataDir, 'levels'), 'utf8')).toBe('5\n9\n12\n')
    expect((await two.ask<{ items: PlanRun[] }>('plans')).items).toHaveLength(1)
    expect(await two.ask('journal/verify')).toMatchObject({ ok: true })
  },
  60_000,
)
