import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createElsewhere } from './elsewhere.ts'

const page = createHash('sha256').update('page').digest('base64url')
const identity = { issuer: 'https://id', subject: 's' }
const asked = { purpose: { kind: 'sign_in' }, page, redirectUri: 'https://jarvis/callback' } as const

function setUp() {
  let at = 0
  const expected = { state: 's', nonce: 'n', verifier: 'v' }
  const provider = { name: 'Id', begin: async () => ({ url: 'https://id', expected }), finish: async () => identity }
  return { elsewhere: createElsewhere({ provider, now: () => at }), wait: (ms: number) => (at += ms) }
}

test('however many sign-ins strangers begin, another one goes its way, and its answer counts once', async () => {
  const { elsewhere } = setUp()
  const { id } = await elsewhere.begin(asked)
  for (let n = 0; n < 2_000; n += 1) await elsewhere.begin(asked)
  expect(await elsewhere.back(id, '?code=1')).toBe('sign_in')
  await expect(elsewhere.back(id, '?code=1')).rejects.toThrow('is over')
  expect(() => elsewhere.end(id, 'another page', 'sign_in')).toThrow('is over')
  expect(elsewhere.end(id, 'page', 'sign_in').identity).toEqual(identity)
  expect(() => elsewhere.end(id, 'page', 'sign_in')).toThrow('is over')
  await expect(elsewhere.back(id, '?code=1')).rejects.toThrow('is over')
})

test('a flow of another start, a changed one and a late one are none', async () => {
  const { elsewhere, wait } = setUp()
  const { id } = await elsewhere.begin(asked)
  const changed = `${id.slice(0, -1)}${id.endsWith('A') ? 'B' : 'A'}`
  for (const other of [undefined, '', 'x', changed, `${id}=`])
    await expect(elsewhere.back(other, '?code=1')).rejects.toThrow('is over')
  await expect(setUp().elsewhere.back(id, '?code=1')).rejects.toThrow('is over')
  wait(10 * 60_000)
  await expect(elsewhere.back(id, '?code=1')).rejects.toThrow('is over')
})

test('the page has a minute, also where the answer came at the last moment', async () => {
  const { elsewhere, wait } = setUp()
  const { id } = await elsewhere.begin(asked)
  wait(10 * 60_000 - 1)
  await elsewhere.back(id, '?code=1')
  wait(59_000)
  expect(elsewhere.end(id, 'page', 'sign_in').identity).toEqual(identity)
})
