import type { Card } from 'protocol'
import { expect, test } from 'vitest'
import { approvalHeld, approvedWords } from './approvals.ts'

const asked = (approvals: Card['approvals'], person?: string): Pick<Card, 'approvals' | 'requestedBy'> => ({
  approvals,
  requestedBy: { kind: 'chat', name: 'model', person },
})
const two = { needed: 2, by: [], roles: ['operator'] }
const ann = { person: 'per_ann', name: 'ann', at: 1 }

test.each([
  ['one person decides', undefined, undefined],
  ['nobody has approved', two, '0 of 2 approved'],
  ['one of two has', { ...two, by: [ann] }, '1 of 2 approved: ann'],
])('%s', (_, approvals, words) => expect(approvedWords(asked(approvals))).toBe(words))

test.each([
  ['who has approved', asked({ ...two, by: [ann] }), 'per_ann', /^you approved/],
  ['the other', asked({ ...two, by: [ann] }), 'operator', undefined],
  ['who asked', asked({ ...two, notAsker: true }, 'per_ann'), 'per_ann', /^you asked/],
  ['who asked without a name', asked({ ...two, notAsker: true }), 'operator', /^you asked/],
  ['who asked where that counts', asked(two, 'per_ann'), 'per_ann', undefined],
])('%s approves or is told why not', (_, card, own, why) => {
  const held = approvalHeld(card, own)
  if (why === undefined) expect(held).toBeUndefined()
  else expect(held).toMatch(why)
})
