import { expect, test } from 'vitest'
import type { Node, Task } from './cluster.ts'
import { lockHolder, unlockCommand } from './locks.ts'

const nodes = [
  { name: 'n1', status: 'online' },
  { name: 'n2', status: 'offline' },
] as Node[]
const task = (type: string, more: Partial<Task> = {}) => ({ type, node: 'n1', status: 'running', ...more }) as Task

test.each<[string, Task[] | undefined, string, string]>([
  ['its own task runs', [task('qmsnapshot', { vmid: 101 })], 'n1', 'qmsnapshot'],
  ['a job of backups runs, which names no guest', [task('vzdump')], 'n1', 'vzdump'],
  ['a clone of another guest runs', [task('qmclone', { vmid: 9_000 })], 'n1', 'qmclone'],
  ['its task has ended', [task('qmsnapshot', { vmid: 101, status: 'failed' })], 'n1', 'none'],
  ['a task of another node runs', [task('vzdump', { node: 'n3' })], 'n1', 'none'],
  ['a console is open', [task('vncproxy', { vmid: 102 })], 'n1', 'none'],
  ['its node is away', [], 'n2', 'unknown'],
  ['the tasks were not read', undefined, 'n1', 'unknown'],
])('where %s, the lock is held by it or by none', (_what, tasks, node, holder) => {
  const found = lockHolder({ vmid: 101, node }, { nodes, tasks })
  expect(typeof found === 'string' ? found : found.type).toBe(holder)
})

test('the tasks that the token may not see are not no tasks', () => {
  expect(lockHolder({ vmid: 101, node: 'n1' }, { nodes, tasks: [], unread: ['tasks'] })).toBe('unknown')
})

test('a person unlocks with the program of the guest’s kind', () => {
  expect([unlockCommand({ type: 'vm', vmid: 101 }), unlockCommand({ type: 'ct', vmid: 104 })]).toEqual([
    'qm unlock 101',
    'pct unlock 104',
  ])
})
