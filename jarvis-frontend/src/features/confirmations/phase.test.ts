import { expect, test } from 'vitest'
import { type Matter, phaseOf, waitedFor, withExpiryOf } from './phase.ts'

const resolved = (decision: 'approved' | 'denied' | 'expired' | 'cancelled') => ({ decision, by: 'operator', at: 1 })
const result = (summary: string, isError: boolean) => ({ isError, summary, at: 2 })

test.each([
  ['nobody decided yet', {}, 'pending'],
  ['approved, no result yet', { resolved: resolved('approved') }, 'executing'],
  ['denied', { resolved: resolved('denied') }, 'denied'],
  ['expired', { resolved: resolved('expired') }, 'expired'],
  ['cancelled', { resolved: resolved('cancelled') }, 'cancelled'],
  ['a good result', { resolved: resolved('approved'), result: result('Task OK', false) }, 'done'],
  ['a bad result', { resolved: resolved('approved'), result: result('got timeout', true) }, 'failed'],
  [
    'a result that is marked unknown',
    { result: { ...result('Restarted meanwhile', true), isUnknown: true as const } },
    'interrupted',
  ],
  [
    'a failure that only speaks of not knowing',
    { result: result('The guest agent does not know this command.', true) },
    'failed',
  ],
])('%s', (_name, matter, phase) => {
  expect(phaseOf(matter)).toBe(phase)
})

test('an expired card says how long it waited, not until when it might have while nobody had seen it', () => {
  const card = { createdAt: 1_000, expiresAt: 1_000 + 24 * 3_600_000 + 60_000 }
  expect(waitedFor({ card, resolved: { decision: 'expired', by: 'jarvis', at: 61_000 } })).toBe(60_000)
  expect(waitedFor({ card: { createdAt: 1_000, expiresAt: 901_000 } })).toBe(900_000)
})

test('a card that was seen meanwhile shows the time that is left since', () => {
  const card = { toolUseId: 'tu_1', createdAt: 0, expiresAt: 90_000_000 } as Matter['card']
  const matter = { card, sessionId: 'ses_1' }
  expect(withExpiryOf(matter, [{ toolUseId: 'tu_1', expiresAt: 900_000 }]).card.expiresAt).toBe(900_000)
  expect(withExpiryOf(matter, [{ toolUseId: 'tu_2', expiresAt: 900_000 }])).toBe(matter)
})
