import { expect, test } from 'vitest'
import type { Principal } from '../protocol/index.ts'
import { grantKey } from './keys.ts'

const target = { kind: 'guest', id: 'vm/103', name: 'truenas' } as const
const keyOf = (requestedBy: Principal) => grantKey('key', { rule: 'base', target, requestedBy })

test.each<[Principal, string]>([
  [{ kind: 'chat', name: 'demo' }, 'e1fff8656e705cfe68b62be6c21db3767eca3874167af5a3cf5d6fc3a6c213a3'],
  [{ kind: 'command', name: 'ana' }, '847ed1a0b9c71a2ca5fd4e1df24703426356dfa895a10dbd1eccc3339ca8f476'],
  [{ kind: 'mcp', name: 'probe', token: 'laptop' }, 'b6d873ee9e14c036c22d5506466b157313aedb9e3d612d61272a5289f43a59f0'],
])('a grant that was stored for %j still covers its calls', (requestedBy, key) => {
  expect(keyOf(requestedBy)).toBe(key)
  expect(keyOf({ ...requestedBy, name: 'renamed' })).toBe(key)
})

test('a grant for a principal of a later kind covers no other of that kind', () => {
  expect(keyOf({ kind: 'plug-in', name: 'nightly' })).toBe(keyOf({ kind: 'plug-in', name: 'nightly' }))
  expect(keyOf({ kind: 'plug-in', name: 'nightly' })).not.toBe(keyOf({ kind: 'plug-in', name: 'weekly' }))
})

test('a grant for a job goes by its id, whatever it is called, and serves no other job', () => {
  expect(keyOf({ kind: 'job', name: 'nightly', job: 'job_1' })).toBe(
    keyOf({ kind: 'job', name: 'renamed', job: 'job_1' }),
  )
  expect(keyOf({ kind: 'job', name: 'nightly', job: 'job_1' })).not.toBe(
    keyOf({ kind: 'job', name: 'nightly', job: 'job_2' }),
  )
})
