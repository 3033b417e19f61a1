import { expect, test } from 'vitest'
import { peopleChecks, wantsProof } from './people-checks.ts'

const owner = { id: 'operator', name: 'operator', role: 'owner', createdAt: 1 }
const ann = { id: 'per_1', name: 'Ann', role: 'owner', createdAt: 2, disabledAt: 3 }
const invitation = { id: 'inv_1', role: 'viewer', by: 'operator', createdAt: 1, expiresAt: 9 }
const usual = { people: [owner], invitations: [], hasSigner: () => false, unseen: [], wantsProof: false }

test.each([
  ['one owner', {}, ['ok 1 may sign in, 1 of them as owner.']],
  [
    'an open invitation',
    { invitations: [invitation] },
    ['ok 1 may sign in, 1 of them as owner; 1 invited and not here yet.'],
  ],
  ['a disabled owner', { people: [owner, ann] }, ['warn Ann is an owner and is disabled.', expect.any(String)]],
  ['no owner', { people: [ann] }, [expect.any(String), 'bad No owner can sign in.', expect.any(String)]],
  [
    'proof without a key',
    { wantsProof: true },
    [expect.stringMatching(/^warn .*no owner has a passkey or/), expect.any(String)],
  ],
  [
    'a browser that nobody uses any more',
    { unseen: [{ name: 'Old phone', person: 'operator' }] },
    ['warn Not seen for 90 days, and still told of cards: Old phone of operator.', expect.any(String)],
  ],
  ['proof with a key', { wantsProof: true, hasSigner: () => true }, [expect.stringMatching(/^ok /)]],
])('of %s the doctor says so', (_what, more, said) => {
  expect(peopleChecks({ ...usual, ...more }).map(({ health, text }) => `${health} ${text}`)).toEqual(said)
})

test('a policy wants proof by its mode or by a rule', () => {
  const policies = [{}, { proof: 'session' }, { proof: 'heavy' }, { rules: [{}, { proof: 'passkey' }] }]
  expect(policies.map(wantsProof)).toEqual([false, false, true, true])
})
