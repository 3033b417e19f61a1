import type { Card } from 'protocol'
import { createRelyingParty } from 'signing/relying-party'
import { expect, test } from 'vitest'
import { Decisions } from '../src/access/decisions.ts'
import { SqliteChallengeStore } from '../src/store/sqlite/access/challenges.ts'
import { SqlitePasskeyStore } from '../src/store/sqlite/access/passkeys.ts'
import { SqliteSignerKeyStore } from '../src/store/sqlite/access/signer-keys.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { createAuthenticator } from './support/fake-authenticator.ts'

const origin = 'http://localhost:4000'

/** The checker of signatures, without the checks of cards around it. */
function signing() {
  let now = 1_000_000
  const database = openDatabase(':memory:')
  const passkeys = new SqlitePasskeyStore(database)
  const keys = { ann: createAuthenticator(origin), ben: createAuthenticator(origin) }
  for (const [person, { id, key }] of Object.entries(keys)) {
    const base = { id, key, cose: '', person: `per_${person}`, userHandle: '', name: person, rpId: 'localhost' }
    passkeys.add({ ...base, counter: 0, transports: [], isSynced: false, createdAt: 1 })
  }
  const decisions = new Decisions({
    store: new SqliteChallengeStore(database),
    passkeys,
    keys: new SqliteSignerKeyStore(database),
    signers: { find: (_type: string, id: string) => ({ key: passkeys.get(id)?.key }) } as never,
    place: createRelyingParty(undefined),
    decisionOf: () => undefined,
    approvalsOf: () => [],
    head: () => ({ seq: 1, hash: '0'.repeat(64) }),
    now: () => now,
    copied() {},
  })
  const asked = (toolUseId = 'tu_1', person = 'per_ann') => ({
    card: { toolUseId, sentence: `Restart by ${toolUseId}.`, expiresAt: now + 600_000 } as Card,
    bindingHash: 'b'.repeat(64),
    person,
    terms: {},
  })
  const sign = (about: ReturnType<typeof asked>, by = keys.ann) => {
    const { options = { challenge: '' } } = decisions.challenge(about, origin)
    return { type: 'passkey' as const, response: by.get(options) }
  }
  return { decisions, asked, sign, keys, later: (ms: number) => (now += ms) }
}

test('a signature counts once: neither checked again nor used twice', () => {
  const { decisions, asked, sign } = signing()
  const signed = sign(asked())
  const receipt = decisions.check(signed, asked())
  // Two requests at once are both checked before either is used.
  decisions.use(receipt)
  expect(() => decisions.use(receipt)).toThrow('It was used before.')
  expect(() => decisions.check(signed, asked())).toThrow('It was used before.')
})

test.each<[string, (parts: ReturnType<typeof signing>) => unknown, string]>([
  [
    'another card',
    ({ decisions, asked, sign }) => decisions.check(sign(asked('tu_2')), asked()),
    'It was not made for this card and person.',
  ],
  [
    'another person',
    ({ decisions, asked, sign, keys }) => decisions.check(sign(asked('tu_1', 'per_ben'), keys.ben), asked()),
    'It was not made for this card and person.',
  ],
  [
    'somebody else’s key for one’s own challenge',
    ({ decisions, asked, sign, keys }) => decisions.check(sign(asked(), keys.ben), asked()),
    'You have no such passkey.',
  ],
  [
    'another call of the card',
    ({ decisions, asked, sign }) => decisions.check(sign(asked()), { ...asked(), bindingHash: 'c'.repeat(64) }),
    'What was signed has another bindingHash.',
  ],
  [
    'another card under the same id',
    ({ decisions, asked, sign }) => {
      const signed = sign(asked())
      return decisions.check(signed, { ...asked(), card: { ...asked().card, sentence: 'Destroy it.' } })
    },
    'What was signed has another cardHash.',
  ],
  [
    'a challenge that is too old',
    ({ decisions, asked, sign, later }) => {
      const about = asked()
      const signed = sign(about)
      later(120_000)
      return decisions.check(signed, about)
    },
    'It came too late',
  ],
])('a signature of %s is refused', (_what, work, why) => {
  expect(() => work(signing())).toThrow(why)
})
