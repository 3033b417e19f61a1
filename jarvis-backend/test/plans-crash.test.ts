import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlanRun } from 'protocol'
import { expect, test } from 'vitest'
import { killedHouse, type Life } from './support/killed-house.ts'

const { newDir, life, eachKill } = killedHouse('changes')
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
  { id: 'a', tool: 'set_level', input: { vmid: 104, to: 9 }, check },
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

const dieAts = ['insert plans written', 'insert plans committed', '1 before', '1 after', '2 before', '2 after']
const levelsIn = (dataDir: string) => readFileSync(join(dataDir, 'levels'), 'utf8').trim().split('\n').map(Number)

/** A life in which a plan is approved, and its steps reach a state. */
async function approved(maker: 'runbook' | 'model', last: 'done' | 'checking') {
  const dataDir = newDir()
  writeFileSync(join(dataDir, 'levels'), '5\n')
  mkdirSync(join(dataDir, 'workspace/runbooks'), { recursive: true })
  writeFileSync(join(dataDir, 'workspace/runbooks/two.md'), runbook(last === 'done' ? '' : neverSeen))
  const proposes = maker === 'model' ? proposed(last === 'done' ? undefined : neverSo) : undefined
  const start = { dataDir, skipMs: 0, proposes }
  const one = await life(start, { points: dieAts })
  if (maker === 'model') await one.types('Set the level of 104.')
  else await one.ask('runbooks/two/run', { inputs: {} })
  await expect.poll(one.waiting).toHaveLength(1)
  const [card] = await one.waiting()
  await one.ask(`confirmations/${card?.toolUseId}`, { confirmed: true })
  await expect.poll(async () => (await planOf(one))?.steps.some(({ state }) => state === last)).toBe(true)
  if (last === 'done') await expect.poll(async () => (await planOf(one))?.state).toBe('done')
  const stands = one.now()
  await one.stop()
  return { start, id: card?.toolUseId, at: one.at, stands }
}

type Case = [dieAt: string, levels: number[], state: PlanRun['state'], steps: string[], waits: boolean]
const cases: Case[] = [
  // The decision is not stored, so the card still waits.
  ['insert plans written', [5, 9, 12], 'done', ['done', 'done'], true],
  ['insert plans committed', [5, 9, 12], 'done', ['done', 'done'], false],
  ['1 before', [5], 'unknown', ['unknown', 'not_begun'], false],
  ['1 after', [5, 9], 'unknown', ['unknown', 'not_begun'], false],
  ['2 before', [5, 9], 'unknown', ['done', 'unknown'], false],
  ['2 after', [5, 9, 12], 'unknown', ['done', 'unknown'], false],
  ['when it is done', [5, 9, 12], 'done', ['done', 'done'], false],
]
const whileChecked: Case = ['while a step is checked', [5, 9], 'stopped', ['surprise', 'not_begun'], false]

test.each(['runbook', 'model'] as const)(
  'the plan of a %s, killed at any step: each step runs once at most, and the plan says where it stands',
  async (maker) => {
    const plan = await approved(maker, 'done')
    const checked = await approved(maker, 'checking')
    await eachKill([...cases, whileChecked], async (dieAt, levels, state, steps, waits) => {
      const { start, id, at, stands } = dieAt === whileChecked[0] ? checked : plan
      const { dataDir } = dieAts.includes(dieAt) ? at(dieAt) : stands
      const two = await life({ ...start, dataDir, skipMs: dieAt.startsWith('insert') ? 0 : 11 * 60_000 })
      expect((await two.waiting()).map(({ toolUseId }) => toolUseId)).toEqual(waits ? [id] : [])
      if (waits) await two.ask(`confirmations/${id}`, { confirmed: true })
      await expect.poll(async () => (await planOf(two))?.state).toBe(state)
      expect((await planOf(two))?.steps.map((step) => step.state)).toEqual(steps)
      expect(levelsIn(dataDir)).toEqual(levels)
      expect((await two.ask<{ items: PlanRun[] }>('plans')).items).toHaveLength(1)
      expect(await two.ask('journal/verify')).toMatchObject({ ok: true })
    })
  },
)
