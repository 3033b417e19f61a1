import type { ClusterState } from 'protocol'
import { expect, test } from 'vitest'
import { waitFor } from '../src/tools/wait/wait-for.ts'
import { createFakeClock } from './support/fake-clock.ts'

const guest = (status: string, vmid = 103, name = 'nas') => ({ vmid, name, node: 'pve', type: 'qemu', status })
const stateOf = (facts: object) =>
  ({
    at: 0,
    nodes: [{ name: 'pve', status: 'online' }],
    guests: [guest('running')],
    storages: [],
    ...facts,
  }) as never as ClusterState

function waiting(input: { target: string; state: string; minutes?: number }, begunAt?: number) {
  const clock = createFakeClock(1_000_000)
  let state = stateOf({})
  let tasks: object[] = []
  const heard = new Set<() => void>()
  const told: string[] = []
  const abort = new AbortController()
  const cluster = {
    state: () => state,
    watch: (listener: () => void) => {
      heard.add(listener)
      return () => heard.delete(listener)
    },
    tasks: async () => ({ items: tasks, missing: [] }),
  } as never
  const run = () =>
    waitFor.run(
      input as never,
      { signal: abort.signal, onProgress: (line: string) => told.push(line), onTask() {} },
      { cluster, clock, begunAt: () => begunAt },
    )
  return {
    clock,
    told,
    abort,
    heard,
    run,
    setTasks: (next: object[]) => {
      tasks = next
    },
    sees(facts: object) {
      state = stateOf(facts)
      for (const listener of [...heard]) listener()
    },
  }
}

test('it waits for a guest by the poller, tells how it stands, and is over at once when it is so', async () => {
  const { run, clock, told, sees, heard } = waiting({ target: 'nas', state: 'stopped' })
  const done = run()
  await clock.advance(31_000)
  sees({ guests: [guest('stopped')] })
  expect(await done).toMatchObject({ text: '103 nas is stopped after 31 s.', data: { isReached: true, waitedS: 31 } })
  expect(told[0]).toBe('103 nas is running; waits for stopped, 10 min left')
  expect([heard.size, clock.pending()]).toEqual([0, 0])
})

test('its time ends it, and says what was seen last', async () => {
  const { run, clock } = waiting({ target: '103', state: 'stopped', minutes: 2 })
  const done = run()
  await clock.advance(120_000)
  expect(await done).toMatchObject({
    text: '103 nas is running after 120 s, not stopped. Waiting ended.',
    data: { isReached: false },
  })
})

test('after a restart it waits for the rest of its time', async () => {
  const { run, clock } = waiting({ target: '103', state: 'stopped', minutes: 2 }, 1_000_000 - 90_000)
  const done = run()
  await clock.advance(30_000)
  expect(await done).toMatchObject({ data: { isReached: false, waitedS: 120 } })
})

test('it can be stopped', async () => {
  const { run, clock, abort, heard } = waiting({ target: '103', state: 'stopped' })
  const done = run()
  await clock.advance(1_000)
  abort.abort(new Error('stopped'))
  await expect(done).rejects.toThrow('stopped')
  expect([heard.size, clock.pending()]).toEqual([0, 0])
})

test('what cannot be read is unknown and not reached', async () => {
  const { run, clock, sees, told } = waiting({ target: '103', state: 'stopped', minutes: 1 })
  sees({ guests: [guest('unknown')] })
  const done = run()
  await clock.advance(60_000)
  expect(await done).toMatchObject({ text: expect.stringMatching(/^UNKNOWN: the state of 103 nas cannot be read/) })
  expect(told[0]).toContain('UNKNOWN')
})

test.each<[string, { target: string; state: string }, object, object]>([
  ['a node', { target: 'pve', state: 'online' }, {}, { text: 'pve is online after 0 s.' }],
  [
    'a storage',
    { target: 'tank', state: 'reachable' },
    { storages: [{ name: 'tank', node: 'pve', isActive: true }] },
    { text: 'tank is reachable after 0 s.' },
  ],
  ['a guest as JARVIS names it', { target: 'vm/103', state: 'running' }, {}, { text: '103 nas is running after 0 s.' }],
  ['a guest as Proxmox names it', { target: 'qemu/103', state: 'running' }, {}, { data: { isReached: true } }],
  ['a node as JARVIS names it', { target: 'node/pve', state: 'online' }, {}, { data: { isReached: true } }],
  [
    'a storage as Proxmox names it',
    { target: 'storage/pve/tank', state: 'reachable' },
    { storages: [{ name: 'tank', node: 'pve', isActive: true }] },
    { data: { isReached: true } },
  ],
])('it waits for %s too', async (_what, input, facts, expected) => {
  const { run, sees } = waiting(input)
  sees(facts)
  expect(await run()).toMatchObject(expected)
})

test('it waits for the end of a task, and says how it ended', async () => {
  const upid = 'UPID:pve:0001:0A:66AA:vzdump:103:root@pam:'
  const { run, clock, setTasks } = waiting({ target: upid, state: 'ended' })
  setTasks([{ upid, type: 'vzdump', vmid: 103, status: 'running' }])
  const done = run()
  await clock.advance(7_000)
  setTasks([{ upid, type: 'vzdump', vmid: 103, status: 'failed', exitStatus: 'no space' }])
  await clock.advance(5_000)
  expect(await done).toMatchObject({ text: 'vzdump 103 is ended, failed: no space after 10 s.' })
})

test.each<[string, { target: string; state: string }, string]>([
  ['a guest', { target: '999', state: 'stopped' }, 'There is no guest 999'],
  ['a container of a VM’s number', { target: 'ct/103', state: 'stopped' }, 'There is no guest ct/103'],
  ['a node', { target: 'pve9', state: 'online' }, 'There is no node pve9. There are: pve.'],
  ['a storage', { target: 'tank', state: 'reachable' }, 'There is no storage tank'],
  ['a task', { target: 'vzdump', state: 'ended' }, 'by its UPID'],
])('%s that is not there is an error', async (_what, input, words) => {
  await expect(waiting(input).run()).rejects.toThrow(words)
})

test('a name that two guests have is an error', async () => {
  const { run, sees } = waiting({ target: 'nas', state: 'stopped' })
  sees({ guests: [guest('running'), guest('running', 104)] })
  await expect(run()).rejects.toThrow('Several guests are named nas')
})
