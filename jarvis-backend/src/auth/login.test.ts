import { expect, test } from 'vitest'
import { type Budget, createLoginGuard, signedInBudgets, signInBudgets } from './login.ts'

/** Wrong passwords that are looked at out of `tries`, each by the budgets of its turn. */
function start() {
  let now = 0
  const guard = createLoginGuard(() => now)
  const enter = (budgets: Budget[]) => {
    try {
      return guard.enter(budgets)
    } catch {
      return undefined
    }
  }
  return {
    enter,
    looked: (tries: number, budgets: (turn: number) => Budget[]) =>
      Array.from({ length: tries }, (_, turn) => enter(budgets(turn))).filter((let_) => let_ !== undefined).length,
    skip: (ms: number) => {
      now += ms
    },
  }
}
const stranger = (address: string, name = 'ann') => signInBudgets({ address, isThisMachine: false }, name, undefined)
const minuteMs = 60_000

test.each([
  ['one address', 40, () => '203.0.113.7', 5],
  ['ten addresses', 40, (turn: number) => `203.0.113.${turn % 10}`, 10],
  ['a thousand addresses', 1_000, (turn: number) => `198.51.${turn >> 8}.${turn & 255}`, 10],
  ['one /64', 40, (turn: number) => `2001:db8:1:2::${turn.toString(16)}`, 5],
])('of wrong passwords at once from %s few are looked at', (_what, tries, address, most) => {
  const { looked } = start()
  expect(looked(tries, (turn) => stranger(address(turn)))).toBe(most)
})

test('the account is slowed, and never locked: half a minute after any flood a stranger may try again', () => {
  const { looked, skip } = start()
  for (let minute = 0; minute < 20; minute += 1) {
    looked(1_000, (turn) => stranger(`198.51.${turn >> 8}.${turn & 255}`))
    skip(minuteMs)
  }
  expect(looked(1, () => stranger('203.0.113.7'))).toBe(1)
  expect(looked(1, () => stranger('203.0.113.8'))).toBe(0)
})

test.each([
  ['a browser that signed in before', signInBudgets({ address: '203.0.113.7', isThisMachine: false }, 'ann', 'device')],
  ['a program on this machine', signInBudgets({ address: '127.0.0.1', isThisMachine: true }, 'ann', undefined)],
  ['somebody who is signed in', signedInBudgets({ address: '203.0.113.7', isThisMachine: false }, 'hash')],
])('strangers who guess, from the same address too, do not keep %s out', (_who, budgets) => {
  const { looked } = start()
  looked(1_000, (turn) => stranger(turn % 2 === 0 ? '203.0.113.7' : `198.51.${turn >> 8}.${turn & 255}`))
  expect(looked(100, () => budgets)).toBe(5)
})

test('the wait doubles, a right password ends it, and an hour of calm does', () => {
  const { looked, enter, skip } = start()
  const one = () => stranger('203.0.113.7')
  expect(looked(6, one)).toBe(5)
  skip(2_000)
  expect(looked(2, one)).toBe(1)
  skip(2_000)
  expect(looked(1, one)).toBe(0)
  skip(2_000)
  enter(one())?.()
  expect(looked(6, one)).toBe(5)
  skip(60 * minuteMs)
  expect(looked(6, one)).toBe(5)
})

test('one network has twenty wrong passwords for all names together, and the names are one in any case', () => {
  const { looked } = start()
  expect(looked(100, (turn) => stranger('203.0.113.7', `person-${turn}`))).toBe(20)
  expect(looked(10, (turn) => stranger(`198.51.100.${turn}`, turn % 2 === 0 ? 'BEN' : 'ben'))).toBe(10)
  expect(looked(1, () => stranger('192.0.2.1', 'Ben'))).toBe(0)
  expect(looked(1, () => stranger('192.0.2.1', 'carl'))).toBe(1)
})

test.each([
  ['the same network', (name: string) => stranger('203.0.113.7', name)],
  ['the same machine', (name: string) => signInBudgets({ address: '::1', isThisMachine: true }, name, undefined)],
])('who has an account gains no guess at another by signing in from %s in between', (_where, from) => {
  const { looked, enter } = start()
  let guesses = 0
  for (let turn = 0; turn < 50; turn += 1) {
    guesses += looked(4, () => from('ann'))
    enter(from('mallory'))?.()
  }
  expect(guesses).toBe(5)
})
