import type { Change } from 'protocol'
import { expect, test } from 'vitest'
import { leftBy } from '../../app/changes/left-by.ts'
import { againstChange, againstSnapshot } from './difference.ts'

const config = {
  digest: 'a',
  values: { cores: '4', memory: '2048', tags: 'db', cipassword: '[redacted]', description: 'one\n', parent: 'early' },
  pending: { memory: '4096' },
}

test('a snapshot differs from now by what was set, taken away and changed since; secrets are not compared', () => {
  const then = { cores: '2', memory: '4096', onboot: '1', description: 'one', cipassword: '[redacted]' }
  expect(againstSnapshot(then, config)).toEqual({
    found: [
      { key: 'cores', then: '2', now: '4' },
      { key: 'onboot', then: '1', now: undefined },
      { key: 'tags', then: undefined, now: 'db' },
    ],
    secrets: ['cipassword'],
  })
})

const changed = (toolInput: Record<string, unknown>) =>
  leftBy({ toolInput, target: { kind: 'guest', id: 'vm/101' } } as unknown as Change)

test('of a change only what it touched is compared, and other changes leave no settings', () => {
  const left = changed({ vmid: 101, set: { cores: 2, memory: '4096' }, remove: ['tags'] })
  expect(left && againstChange(left, config).found).toEqual([
    { key: 'cores', then: '2', now: '4' },
    { key: 'tags', then: undefined, now: 'db' },
  ])
  expect(changed({ vmid: 101, name: 'before' })).toBeUndefined()
})
