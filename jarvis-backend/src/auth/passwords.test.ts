import { scryptSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { createPasswordHasher, standingStrength } from './passwords.ts'

const cheap = { memoryKib: 8, passes: 1, lanes: 1 }
const phc = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/

test('a hash names its algorithm and parameters, which are no weaker than OWASP asks', async () => {
  const hasher = createPasswordHasher()
  const [one, other] = await Promise.all([hasher.hash('correct-horse'), hasher.hash('correct-horse')])
  expect(one).toMatch(phc)
  expect(hasher.hashNow('x')).toMatch(phc)
  expect(other).not.toBe(one)
  expect(standingStrength.memoryKib * standingStrength.passes).toBeGreaterThanOrEqual(19 * 1024 * 2)
  expect(await hasher.check('correct-horse', one)).toEqual({ isRight: true, isWeak: false })
  expect(await hasher.check('correct-horsf', one)).toEqual({ isRight: false, isWeak: false })
})

/** As an older release kept it. */
const scrypted = (password: string) => {
  const salt = Buffer.alloc(16, 7)
  return `scrypt$${salt.toString('base64url')}$${scryptSync(password, salt, 32).toString('base64url')}`
}

test.each([
  ['of an older release', scrypted('correct-horse'), true],
  ['of the same strength', createPasswordHasher(cheap).hashNow('correct-horse'), false],
  ['of more memory', createPasswordHasher({ ...cheap, memoryKib: 16 }).hashNow('correct-horse'), false],
])('a hash %s is checked with its own parameters', async (_what, kept, isWeak) => {
  const hasher = createPasswordHasher(cheap)
  expect(await hasher.check('correct-horse', kept)).toEqual({ isRight: true, isWeak })
  expect((await hasher.check('Correct-horse', kept)).isRight).toBe(false)
})

test.each([
  ['memory', { ...cheap, memoryKib: 16 }],
  ['passes', { ...cheap, passes: 2 }],
])('a hash of less %s than is used now is weak', async (_what, strength) => {
  const kept = createPasswordHasher(cheap).hashNow('correct-horse')
  expect(await createPasswordHasher(strength).check('correct-horse', kept)).toEqual({ isRight: true, isWeak: true })
})

test('nobody has a password, not even the empty one', async () => {
  const hasher = createPasswordHasher(cheap)
  for (const given of ['', 'undefined', 'correct-horse']) {
    expect(await hasher.check(given, undefined)).toEqual({ isRight: false, isWeak: false })
  }
})

test('an unknown name takes as long as a known one, and the event loop goes on meanwhile', async () => {
  const hasher = createPasswordHasher()
  const kept = hasher.hashNow('correct-horse')
  let turns = 0
  let isDone = false
  const beat = () => {
    turns += 1
    if (!isDone) setImmediate(beat)
  }
  beat()
  await hasher.check('wrong', kept)
  isDone = true
  expect(turns).toBeGreaterThan(20)

  const least = async (hash: string | undefined) => {
    const tries: number[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      const begun = process.cpuUsage()
      await hasher.check('wrong', hash)
      const { user, system } = process.cpuUsage(begun)
      tries.push(user + system)
    }
    return Math.min(...tries)
  }
  const ratio = (await least(undefined)) / (await least(kept))
  expect(ratio).toBeGreaterThan(0.4)
  expect(ratio).toBeLessThan(2.5)
})

test('two hashes go on at once; of strangers that wait more than 32 are told to come again, and who is known goes first', async () => {
  const hasher = createPasswordHasher(cheap)
  const done: string[] = []
  const check = (who: string, isKnown: boolean) =>
    hasher.check('wrong', undefined, isKnown).then(
      () => done.push(who),
      (error: { code: string; retryAfterS: number }) => done.push(`${error.code} ${error.retryAfterS}`),
    )
  const all = [...Array.from({ length: 40 }, (_, turn) => check(`stranger ${turn}`, false)), check('known', true)]
  await Promise.all(all)
  expect(done.filter((what) => what === 'too_many_requests 2')).toHaveLength(6)
  expect(done.filter((what) => what.startsWith('stranger'))).toHaveLength(34)
  // Last where nobody went first. The other lane may end several while this one's thread waits for a core.
  expect(done.filter((what) => !what.startsWith('too')).indexOf('known')).toBeLessThan(17)
})
