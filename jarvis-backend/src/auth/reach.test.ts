import { expect, test } from 'vitest'
import { createSessionReach } from './reach.ts'

const reach = createSessionReach(
  (id) => (id === 'ses_gone' ? undefined : { person: 'per_ann' }),
  (_, person) => (person === 'per_ben' ? 'look' : undefined),
)
const person = (id: string, role = 'member') => ({ id, name: id, role })

test.each([
  ['its own person', person('per_ann'), true, false],
  ['whoever it is shared with', person('per_ben'), true, false],
  ['another member', person('per_cat'), false, false],
  ['another viewer', person('per_eva', 'viewer'), false, false],
  ['an operator', person('per_olga', 'operator'), true, true],
])('%s reads a conversation, and what is left of one that is gone', (_, who, open, gone) => {
  expect([reach.reads(who, 'ses_there'), reach.reads(who, 'ses_gone')]).toEqual([open, gone])
})
