import type { Task } from 'protocol'
import { expect, test } from 'vitest'
import type { StoredAlert } from './alert.ts'
import { type DetailPorts, detailOf } from './detail.ts'

const minuteMs = 60_000
const now = Date.UTC(2026, 10, 23, 9)
const since = now - 60 * minuteMs

const hot: StoredAlert = {
  id: 'alr_1',
  check: 'node-heat',
  object: { id: 'node/pve', name: 'pve', node: 'pve' },
  severity: 'look',
  state: 'firing',
  sentence: 'pve is at 81 °C.',
  since,
  firedAt: since + 5 * minuteMs,
  seenAt: now,
  turns: [],
  values: ['80 °C', '81 °C'],
  value: '81 °C',
  told: [],
  inputs: { node: 'pve' },
  chart: { series: 'node/pve', field: 'temperatureC', limit: 80, clears: 75 },
}
const task = (upid: string, startedAt: number, more: Partial<Task> = {}): Task => ({
  upid,
  node: 'pve',
  type: 'vzdump',
  user: 'root@pam',
  startedAt,
  status: 'ok',
  exitStatus: 'OK',
  ...more,
})

const look = (alert: StoredAlert, ports: Partial<DetailPorts> = {}) =>
  detailOf(
    alert,
    {
      shown: { ...alert, told: [] },
      open: [],
      ended: [],
      now,
      durationMs: 3,
      check: {
        id: alert.check,
        title: 'Heat of a node',
        reads: 'GET /nodes/{node}/status and {more}',
        forMs: 0,
        pace: 'state',
        from: [],
        limit: () => '',
        look: () => ({ measures: [], unread: new Map() }),
      },
      store: { earlier: () => ({ count: 2, longestMs: 5, lastAt: 7 }) },
    },
    {
      samples: () => [],
      changes: async () => [],
      isOurs: ({ upid }) => upid === 'ours',
      offers: () => [],
      tasks: async () => ({ items: [], missing: [] }),
      ...ports,
    },
  )

test('the evidence names the path that was read, the values, and what is usual before it began', async () => {
  // The newest hour is the alert itself.
  const samples = (_series: string, _field: string, minutes: number) =>
    Array.from({ length: minutes }, (_, at) => (at % 3 === 0 ? undefined : at >= minutes - 60 ? 99 : 58.4))
  const { evidence, title } = await look(hot, { samples })
  expect(title).toBe('Heat of a node')
  expect(evidence).toEqual({
    read: 'GET /nodes/pve/status and {more}',
    at: now,
    durationMs: 3,
    values: ['80 °C', '81 °C'],
    usual: '58 °C, median of 24 h',
    before: { count: 2, longestMs: 5, lastAt: 7 },
  })
})

test.each([
  ['too few values', Array.from({ length: 1_440 }, (_, at) => (at < 29 ? 50 : undefined))],
  ['no values', []],
])('with %s nothing is said to be usual', async (_name, values) => {
  expect((await look(hot, { samples: () => values })).evidence.usual).toBeUndefined()
})

test('changes before it are those of the journal and tasks that JARVIS did not start, newest first', async () => {
  const ours = { at: since - 50 * minuteMs, sentence: 'CPU limit of CT 104.', by: 'operator', isOurs: true, entry: 7 }
  const { changes, missing } = await look(hot, {
    async changes(targets, from, to) {
      expect([targets, from, to]).toEqual([['node/pve'], since - 1_440 * minuteMs, since])
      return [ours]
    },
    tasks: async (node) => ({
      items: [
        task('late', since + 1),
        task('ours', since - minuteMs),
        task('foreign', since - 10 * minuteMs, { vmid: 101, exitStatus: 'job <b>errors</b>' }),
        task('old', since - 1_441 * minuteMs),
        task('elsewhere', since - minuteMs, { node: 'pve2' }),
      ],
      missing: [`tasks of ${node} before 08:00`],
    }),
  })
  expect(changes).toEqual([
    {
      at: since - 10 * minuteMs,
      sentence: 'vzdump of 101 on pve: job berrors/b',
      by: 'root@pam',
      isOurs: false,
    },
    ours,
  ])
  expect(missing).toEqual(['tasks of pve before 08:00'])
})

test('tasks that cannot be read are missing, not absent', async () => {
  const tasks = () => Promise.reject(new Error('pve is offline'))
  expect(await look(hot, { tasks })).toMatchObject({
    changes: [],
    missing: ['The tasks before it could not be read: pve is offline'],
  })
})
