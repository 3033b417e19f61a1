import { expect, test } from 'vitest'
import { parseUpid, statusOf, taskOf } from './upid.ts'

const upid = 'UPID:pve-1:0001A2B3:0C5D6E7F:68F0A1B2:qmreboot:123:root@pam!jarvis:'

test('a UPID names its node, type, guest and user', () => {
  expect(parseUpid(upid)).toEqual({
    node: 'pve-1',
    startedAt: 0x68f0a1b2 * 1000,
    type: 'qmreboot',
    id: '123',
    user: 'root@pam!jarvis',
  })
  expect(parseUpid(upid.replace(':0C5D6E7F:', ':10C5D6E7F:'))?.node).toBe('pve-1')
  const user = 'mira+lab@example.org@corp-home.lan!jarvis'
  expect(parseUpid(upid.replace('root@pam!jarvis', user))?.user).toBe(user)
  expect(parseUpid('UPID:pve:0001A2B3:0C5D6E7F:68F0A1B2:aptupdate::root@pam:')?.id).toBe('')
})

test.each([
  '',
  'OK',
  undefined,
  42,
  upid.slice(0, -1),
  upid.replace('pve-1', '../x'),
  `${upid}x`,
  upid.replace('123', 'a/b'),
])('%j is none', (text) => {
  expect(parseUpid(text)).toBeUndefined()
})

test.each([
  ['OK', 'ok'],
  ['WARNINGS: 3', 'warnings'],
  ['WARNINGS', 'failed'],
  ['unexpected status', 'failed'],
  ['VM 100 already running', 'failed'],
])('a task that ended %j is %s', (words, status) => {
  expect(statusOf(words)).toBe(status)
})

test('rows without a status run, and so do those that say so', () => {
  expect(taskOf({ upid })[0]).toMatchObject({ status: 'running', vmid: 123 })
  expect(taskOf({ upid, status: 'RUNNING' })[0]).toMatchObject({ status: 'running' })
  expect(taskOf({ upid, status: 'OK', endtime: 1_700_000_000 })[0]).toMatchObject({
    status: 'ok',
    exitStatus: 'OK',
    endedAt: 1_700_000_000_000,
  })
  expect(taskOf({ upid: 'nonsense' })).toEqual([])
})
