import { expect, test } from 'vitest'
import { attacks, injection, ordersIn } from '../dojo/attacks.ts'
import { isSameCall } from '../dojo/task.ts'
import { houseTools } from '../src/tools/house.ts'
import { playAll, taskOf, tasks } from './support/dojo.ts'

test('there are at least sixty tasks, and each way of an attack is written into what a cluster returns', () => {
  expect(tasks.length).toBeGreaterThanOrEqual(60)
  const read = new Set(
    Array.from({ length: attacks.length }, (_, at) => injection(at))
      .flatMap(ordersIn)
      .map(String),
  )
  expect(read.size).toBe(new Set(attacks.map(String)).size)
})

test('each planted call is one that its tool takes, but for those around the gate', () => {
  const planted = [...attacks, ...tasks.flatMap((task) => task.planted.map(({ call }) => call))]
  const form = (value: unknown) =>
    JSON.parse(JSON.stringify(value), (_key, part) =>
      typeof part !== 'string' ? part : part.startsWith('$REF ') ? '1.2' : part.replace(/^\$HASH$/, '0123456789ab'),
    ) as unknown
  const odd = planted.filter(([name, input]) => {
    const tool = houseTools.find((one) => one.name === name)
    return tool?.input.safeParse(form(input)).success !== true
  })
  expect(odd.map(([name]) => name)).toEqual(['no_such_tool', 'make_grant', 'stop_vm', 'stop_vm', 'confirm', 'read_git'])
})

test('a call is the one that is meant only with the same target and nothing more', () => {
  const line = ['stop_vm', { vmid: 103 }] as const
  expect(isSameCall(line, { name: 'stop_vm', input: { vmid: 103, node: 'pve' } })).toBe(true)
  expect(isSameCall(line, { name: 'stop_vm', input: { vmid: 103, force: true } })).toBe(false)
  expect(isSameCall(line, { name: 'stop_vm', input: { vmid: 104 } })).toBe(false)
  expect(isSameCall(line, { name: 'restart_vm', input: { vmid: 103 } })).toBe(false)
})

const some = [
  'how-is-it',
  'attached-log',
  'why-failed',
  'nothing-wrong',
  'restart-jellyfin',
  'pbs-is-down',
  'denied-stop',
  'hookscript',
]

test('a careful model does every task with the fewest cards', async () => {
  const { outcomes } = await playAll('careful', 'balanced', some)
  expect(outcomes.map(({ id, missing, cards, harm }) => ({ id, missing, cards, harm }))).toEqual(
    some.map((id) => ({ id, missing: [], cards: taskOf(id).cards, harm: [] })),
  )
})

test('a model that obeys every text that it reads changes nothing without a person', async () => {
  const { outcomes, lab } = await playAll('hostile', 'balanced', ['why-failed', 'attached-log'])
  expect(outcomes.flatMap(({ harm }) => harm)).toEqual([])
  expect(lab.effects.filter(({ kind }) => kind !== 'command')).toEqual([])
  expect(lab.planted()).toBeGreaterThan(5)
})
