import { join } from 'node:path'
import jwt from 'jsonwebtoken'
import type { ConfirmationRow, DecisionChallenge, JournalEntry } from 'protocol'
import { createSignatureCheck } from 'signing/journal-check'
import { expect, onTestFinished, test } from 'vitest'
import { createPasswordHasher } from '../src/auth/passwords.ts'
import { SqlitePersonStore } from '../src/store/sqlite/access/people.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { createAuthenticator } from './support/fake-authenticator.ts'
import { passkeyDoor } from './support/passkey-door.ts'
import { cardIn, opened, passkey } from './support/signed-cards.ts'
import { jwtSecret } from './support/start-jarvis.ts'

const policy = `
proof: passkey
breakGlass: true
rules: [{name: two, tools: [restart_vm], tier: red, because: Two people., approve: {count: 2, notAsker: false}}]
`
const secret = 'plum-orchard-seven'
const hash = createPasswordHasher({ memoryKib: 64, passes: 1, lanes: 1 }).hashNow(secret)

/** The owner's server with a further person, who has given the password. */
async function withAnn() {
  const house = await opened({ policy })
  const database = openDatabase(join(house.dir, 'jarvis.db'))
  onTestFinished(() => database.close())
  new SqlitePersonStore(database).add({ id: 'per_ann', name: 'ann', role: 'operator', createdAt: 1 }, hash)
  const options = { algorithm: 'HS256', issuer: 'jarvis', expiresIn: 3600 } as const
  const ann = passkeyDoor(house.jarvis, jwt.sign({ sub: 'per_ann', role: 'operator' }, jwtSecret, options))
  await ann.ask('POST', '/auth/step-up', { password: secret })
  const annsKey = createAuthenticator(ann.origin)
  await ann.enrol(annsKey)
  const annSigns = async (id: string, terms: object = {}) => {
    const { options = { challenge: '' } } = await ann.ask<DecisionChallenge>(
      'POST',
      `/confirmations/${id}/challenge`,
      terms,
    )
    return passkey(annsKey.get(options))
  }
  return { ...house, ann, annsKey, annSigns }
}

test('each of two who approve signs, the journal keeps both receipts, and one that is missing counts for neither', async () => {
  const { operator, challenge, decide, key, ann, annSigns, restarts, door } = await withAnn()
  const card = await cardIn(operator)
  expect(card).toMatchObject({ proof: 'passkey', approvals: { needed: 2 } })
  expect(await decide(card.toolUseId, {}, ann.token)).toBe('proof_required')
  const signed = await annSigns(card.toolUseId)
  // Ann's signature is no other's.
  expect(await decide(card.toolUseId, signed)).toBe('proof_refused')
  expect(await decide(card.toolUseId, signed, ann.token)).toBe('ok')
  expect(restarts()).toBe(0)
  const { options = { challenge: '' } } = await challenge(card.toolUseId)
  expect(await decide(card.toolUseId, passkey(key.get(options)))).toBe('ok')
  await expect.poll(restarts).toBe(1)
  await operator.next('chat:done')

  const entries = (await door.ask<{ items: JournalEntry[] }>('GET', '/journal?limit=200')).items.toReversed()
  const check = (changed: JournalEntry[]) => {
    const next = createSignatureCheck()
    return changed.map((entry) => next({ ...entry, body: JSON.stringify(entry.body) })).find((why) => why !== undefined)
  }
  const approvals = entries.filter(({ kind }) => kind === 'approval')
  expect(approvals.map(({ body }) => (body as { receipt?: { type: string } }).receipt?.type)).toEqual([
    'passkey',
    'passkey',
  ])
  expect(check(entries)).toBeUndefined()
  const forged = structuredClone(entries)
  const first = forged.find(({ kind }) => kind === 'approval')?.body as { by: string; receipt: object }
  first.by = 'operator'
  expect(check(forged)).toContain('does not count')
}, 60_000)

test('a passkey that is removed between two approvals takes its yes along, and the card waits on', async () => {
  const { operator, challenge, decide, key, ann, annsKey, annSigns, restarts, door } = await withAnn()
  const card = await cardIn(operator)
  expect(await decide(card.toolUseId, await annSigns(card.toolUseId), ann.token)).toBe('ok')
  await ann.ask('DELETE', `/passkeys/${annsKey.id}`)
  const { options = { challenge: '' } } = await challenge(card.toolUseId)
  expect(await decide(card.toolUseId, passkey(key.get(options)))).toBe('ok')
  const { items } = await door.ask<{ items: ConfirmationRow[] }>('GET', '/confirmations')
  expect(items[0]?.approvals?.by).toMatchObject([{ person: 'operator' }])
  expect(restarts()).toBe(0)
  const again = createAuthenticator(ann.origin)
  await ann.enrol(again)
  const path = `/confirmations/${card.toolUseId}/challenge`
  const { options: anew = { challenge: '' } } = await ann.ask<DecisionChallenge>('POST', path, {})
  expect(await decide(card.toolUseId, passkey(again.get(anew)), ann.token)).toBe('ok')
  await expect.poll(restarts).toBe(1)
}, 60_000)

test('whoever breaks the glass signs that they decide alone', async () => {
  const { operator, challenge, key, door, restarts, journal } = await withAnn()
  const card = await cardIn(operator)
  const reason = 'The house is on fire and Ann sleeps.'
  const breakGlass = async (body: object) => {
    const response = await door.send('POST', `/confirmations/${card.toolUseId}/break-glass`, { reason, ...body })
    return response.ok ? 'ok' : ((await response.json()) as { error: { code: string } }).error.code
  }
  const sign = async (terms: { alone?: true }) => {
    const { options = { challenge: '' }, lines } = await challenge(card.toolUseId, terms)
    return { lines, ...passkey(key.get(options)) }
  }
  expect(await breakGlass({})).toBe('proof_required')
  expect(await breakGlass({ proof: (await sign({})).proof })).toBe('proof_refused')
  const { proof, lines } = await sign({ alone: true })
  expect(lines.at(-1)).toBe('Without the others who must approve it')
  expect(await breakGlass({ proof })).toBe('ok')
  await expect.poll(restarts).toBe(1)
  expect(await journal('approval')).toMatchObject([{ breakGlass: reason, receipt: { type: 'passkey' } }])
}, 60_000)
