import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Card, PlanRun } from '../src/protocol/index.ts'
import type { ChangeStart } from './crash/change-server.ts'
import { folder } from './support/data-dir.ts'
import { killedProgram } from './support/killed-programs.ts'
import { jwtSecret, tokenFor } from './support/start-jarvis.ts'

let program = ''
const alive = new Set<ChildProcess>()
beforeAll(async () => {
  program = await killedProgram('change-server')
})
afterAll(() => {
  for (const child of alive) child.kill('SIGKILL')
})

async function life(start: Omit<ChangeStart, 'jwtSecret'>) {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
  })
  alive.add(child)
  const ended = once(child, 'exit').then(() => alive.delete(child))
  await once(child, 'message')
  const listening = once(child, 'message')
  child.send({ ...start, jwtSecret })
  const [{ url }] = (await listening) as [{ url: string }]
  async function ask<T>(place: string, body?: object): Promise<T> {
    const response = await fetch(`${url}/api/${place}`, {
      headers: { authorization: `Bearer ${tokenFor('operator')}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    return (await response.json()) as T
  }
  return {
    ask,
    ended,
    async say(message: string) {
      const socket = io(`${url}/chat`, { auth: { token: tokenFor('operator') }, transports: ['websocket'] })
      const reply = (await socket.emitWithAck('chat:send', { message })) as { ok: boolean }
      socket.disconnect()
      expect(reply.ok).toBe(true)
    },
    plan: async () => (await ask<{ items: PlanRun[] }>('plans')).items[0],
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

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

type Case = { levels: number[]; state: PlanRun['state']; steps: string[]; dieAt?: ChangeStart['dieAt']; first?: string }
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
    const dataDir = folder()
    writeFileSync(join(dataDir, 'levels'), '5\n')
    mkdirSync(join(dataDir, 'workspace/runbooks'), { recursive: true })
    writeFileSync(join(dataDir, 'workspace/runbooks/two.md'), runbook(first))
    const proposes = maker === 'model' ? proposed(first === '' ? undefined : neverSo) : undefined
    const start = { dataDir, ...(proposes && { proposes }) }
    const one = await life({ ...start, skipMs: 0, ...(dieAt && { dieAt }) })
    if (maker === 'model') await one.say('Set the level of 104.')
    else await one.ask('runbooks/two/run', { inputs: {} })
    const waiting = async () => (await one.ask<{ items: Card[] }>('confirmations')).items
    await expect.poll(waiting).toHaveLength(1)
    const [card] = await waiting()
    await one.ask(`confirmations/${card?.toolUseId}`, { confirmed: true }).catch(() => {})
    if (dieAt !== undefined) await one.ended
    else {
      const last = first === '' ? 'done' : 'checking'
      const seen = async () => (await one.plan())?.steps.some((step) => step.state === last)
      await expect.poll(seen).toBe(true)
      if (first === '') await expect.poll(async () => (await one.plan())?.state).toBe('done')
      await one.kill()
    }

    const two = await life({ ...start, skipMs: 11 * 60_000 })
    await expect.poll(async () => (await two.plan())?.state).toBe(state)
    expect((await two.plan())?.steps.map((step) => step.state)).toEqual(steps)
    expect(readFileSync(join(dataDir, 'levels'), 'utf8').trim().split('\n').map(Number)).toEqual(levels)
    expect(await two.ask('journal/verify')).toMatchObject({ ok: true })
    await two.kill()
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
    const dataDir = folder()
    writeFileSync(join(dataDir, 'levels'), '5\n')
    mkdirSync(join(dataDir, 'workspace/runbooks'), { recursive: true })
    writeFileSync(join(dataDir, 'workspace/runbooks/two.md'), runbook(''))
    const start = { dataDir, skipMs: 0, ...(maker === 'model' && { proposes: proposed() }) }
    const one = await life({ ...start, dieAt })
    if (maker === 'model') await one.say('Set the level of 104.')
    else await one.ask('runbooks/two/run', { inputs: {} })
    const waiting = async (server: typeof one) =>
      (await server.ask<{ items: Card[] }>('confirmations')).items.filter((row) => !('decision' in row))
    await expect.poll(() => waiting(one)).toHaveLength(1)
    const [card] = await waiting(one)
    await one.ask(`confirmations/${card?.toolUseId}`, { confirmed: true }).catch(() => {})
    await one.ended

    const two = await life(start)
    expect((await waiting(two)).map(({ toolUseId }) => toolUseId)).toEqual(waits ? [card?.toolUseId] : [])
    if (waits) await two.ask(`confirmations/${card?.toolUseId}`, { confirmed: true })
    await expect.poll(async () => (await two.plan())?.state).toBe('done')
    expect(readFileSync(join(dataDir, 'levels'), 'utf8')).toBe('5\n9\n12\n')
    expect((await two.ask<{ items: PlanRun[] }>('plans')).items).toHaveLength(1)
    expect(await two.ask('journal/verify')).toMatchObject({ ok: true })
    await two.kill()
  },
  60_000,
)
