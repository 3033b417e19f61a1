import type { Activity, ClusterState } from 'protocol'
import { expect, test } from 'vitest'
import type { Issue } from '../../features/cluster/health.ts'
import { headline, prompts } from './prompts.ts'

const hour = 3_600_000
const now = new Date(2026, 5, 1, 9).getTime()
const guest = (vmid: number, backupAt: number | null = now - hour) => ({ vmid, status: 'running', backupAt })
const state = (change: object = {}) =>
  ({
    nodes: [{ name: 'pve', status: 'online' }],
    guests: [],
    storages: [],
    tasks: [],
    missing: [],
    ...change,
  }) as unknown as ClusterState
const issue = (question: string) => ({ tone: 'warn', question, detail: `about ${question}` }) as Issue
const happened = (hoursAgo: number, level = 'info') => ({ at: now - hoursAgo * hour, level }) as Activity
const blind = state({ nodes: [], unread: ['nodes', 'guests'] })

test.each([
  ['before the first snapshot', undefined, [], 0, [], 'Reading the cluster.', 'Nothing waits for you.'],
  ['with nothing ever seen', state(), [], 0, [], 'All quiet.', 'Nothing waits for you.'],
  ['with one card', state(), [], 1, [], 'All quiet.', '1 thing waits for you.'],
  ['with two cards', state(), [], 2, [], 'All quiet.', '2 things wait for you.'],
  [
    'quiet since a warning',
    state(),
    [],
    0,
    [happened(30), happened(2, 'warn'), happened(1)],
    'All quiet since 07:00.',
    '',
  ],
  ['quiet since the first event', state(), [], 0, [happened(3), happened(1)], 'All quiet since 06:00.', ''],
  ['quiet for long', state(), [], 0, [happened(25)], 'All quiet for a day.', ''],
  ['with issues', state(), [issue('a'), issue('b')], 0, [], '2 things need a look.', 'Nothing waits for you.'],
  ['that cannot be read', blind, [issue('a')], 1, [], 'How the cluster is, is unknown.', 'about a. 1 thing waits'],
  ['that was never read', blind, [], 0, [], 'How the cluster is, is unknown.', 'It has not been read yet.'],
  [
    'with all backups',
    state({ guests: [guest(1), guest(2)] }),
    [],
    0,
    [],
    'All quiet.',
    'All 2 guests have a fresh backup. ',
  ],
  ['with one guest', state({ guests: [guest(1)] }), [], 0, [], 'All quiet.', 'The only guest has a fresh backup. '],
  [
    'with an old backup',
    state({ guests: [guest(1), guest(2, now - 30 * hour)] }),
    [],
    0,
    [],
    '',
    '1 of 2 guests have a fresh backup. ',
  ],
  [
    'with an unknown backup',
    state({ guests: [guest(1), guest(2, null)] }),
    [],
    0,
    [],
    '',
    '1 of 2 guests have a fresh backup, of 1 it is unknown. ',
  ],
])('the headline of a cluster %s', (_, cluster, issues, waiting, feed, title, detail) => {
  const said = headline({ state: cluster, issues, feed, now }, waiting)
  expect(said.title).toContain(title)
  expect(said.detail).toContain(detail)
})

const task = (status: string, hoursAgo: number) => ({
  type: 'vzdump',
  node: 'pve',
  status,
  startedAt: now - hoursAgo * hour,
})

test.each([
  ['an unread cluster', undefined, [issue('a')], [happened(1), happened(2)], []],
  ['a quiet cluster', state(), [], [], ['How is the cluster?']],
  ['issues, the worst two', state(), [issue('a'), issue('b'), issue('c')], [], ['a', 'b', 'How is the cluster?']],
  ['one event, which is no story', state(), [], [happened(1)], ['How is the cluster?']],
  [
    'events of half a day',
    state(),
    [],
    [happened(13), happened(2), happened(1)],
    ['What happened in the last 12 hours?', 'How is the cluster?'],
  ],
  ['events of yesterday', state(), [], [happened(14), happened(13)], ['How is the cluster?']],
  [
    'a task that failed today',
    state({ tasks: [task('ok', 1), task('failed', 2)] }),
    [],
    [],
    ['Why did vzdump fail on pve?', 'How is the cluster?'],
  ],
  ['a task that failed the day before', state({ tasks: [task('failed', 24)] }), [], [], ['How is the cluster?']],
  [
    'more than three',
    state({ tasks: [task('failed', 2)] }),
    [issue('a'), issue('b')],
    [happened(2), happened(1)],
    ['a', 'b', 'What happened in the last 12 hours?'],
  ],
])('the first questions of %s', (_, cluster, issues, feed, questions) => {
  expect(prompts({ state: cluster, issues, feed, now }).map(({ question }) => question)).toEqual(questions)
})

test('a first question says from what it comes', () => {
  const seen = { state: state({ guests: [guest(1)] }), issues: [issue('a')], feed: [happened(3), happened(1)], now }
  expect(prompts(seen)).toEqual([
    { mark: 'warn', question: 'a', detail: 'about a' },
    { mark: 'clock', question: 'What happened in the last 12 hours?', detail: '2 events since 06:00' },
    { mark: 'cluster', question: 'How is the cluster?', detail: '1 node, 1 guest' },
  ])
})

test('a cluster that cannot be read is not said to have no nodes', () => {
  const [only] = prompts({ state: blind, issues: [], feed: [], now })
  expect(only?.detail).toBe('its nodes and guests are unknown')
})
