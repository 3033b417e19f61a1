import type { JournalEntry } from 'protocol'
import { expect, test } from 'vitest'
import { factsOf } from './facts.ts'

const entry = (kind: string, body: unknown): JournalEntry => ({ seq: 7, at: 0, kind, body, hash: 'h' })
const nameOf = (id: string) => (id === 'per_1' ? 'Mira' : id)
const said = (kind: string, body: unknown) =>
  Object.fromEntries(factsOf(entry(kind, body), nameOf).filter(([name]) => name !== 'When'))

test('an entry is told in words: who asked, for what, with which arguments, and how it ended', () => {
  expect(
    said('call', {
      toolUseId: 'tu_1',
      toolName: 'stop_vm',
      tier: 'red',
      toolInput: { vmid: 103, force: true },
      target: { kind: 'guest', id: 'vm/103', name: 'truenas' },
      requestedBy: { kind: 'chat', name: 'anthropic/claude' },
      reason: 'truenas holds all backups',
      bindingHash: 'abc',
    }),
  ).toEqual({
    What: 'Call, stop_vm',
    'Asked by': 'claude',
    On: 'vm/103 (truenas)',
    '“vmid”': '103',
    '“force”': 'true',
    Outcome: 'waits for a decision',
    Reason: 'truenas holds all backups',
  })
  expect(said('decision', { decision: 'denied', note: 'not now', by: 'per_1', toolName: 'stop_vm' })).toEqual({
    What: 'Decision, stop_vm',
    'Decided by': 'Mira',
    Outcome: 'denied: not now',
  })
  expect(said('decision', { decision: 'expired', by: 'jarvis' })).toMatchObject({ Outcome: 'nobody decided in time' })
  expect(said('settings', { change: 'limits', by: 'per_1', isHeld: false, sets: { cpu: 1 } })).toMatchObject({
    By: 'Mira',
    'Is held': 'no',
    Sets: '1',
  })
})

test.each([null, 'broken', ['a']])('a body that is no object has only its time: %j', (body) => {
  expect(factsOf(entry('call', body), nameOf)).toHaveLength(1)
})
