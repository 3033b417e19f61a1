import { describe, expect, test } from 'vitest'
import type { KnownPerson } from '../../../api/people.ts'
import { lastOwnerWords, roleSentence } from './words.ts'

const person = (id: string, role: string, more: Partial<KnownPerson> = {}): KnownPerson => ({
  id,
  name: id,
  role,
  createdAt: 0,
  ...more,
})
const family = { name: 'family', builtIn: false, sentence: 'May restart 401, nothing else.', scopes: [], people: 1 }

describe('a role', () => {
  test('of the house is said so that each differs, and one of policy.yaml as the server says it', () => {
    const asTools = ['owner', 'operator'].map((name) => ({ ...family, name, sentence: 'May use tools on everything.' }))
    expect(new Set(asTools.map(({ name }) => roleSentence(name, asTools))).size).toBe(2)
    expect(roleSentence('family', [family])).toBe('May restart 401, nothing else.')
    expect(roleSentence('viewer', undefined)).toMatch(/^May read/)
  })
  test('that policy.yaml lost allows nothing; before the answer nothing is said', () => {
    expect(roleSentence('family', [])).toBe('policy.yaml has no role family, so it allows nothing.')
    expect(roleSentence('family', undefined)).toBe('')
  })
  test('like constructor is no role of the house', () =>
    expect(roleSentence('constructor', [])).toMatch(/^policy.yaml has no role/))
})

test.each([
  ['the only owner', [person('a', 'owner'), person('b', 'operator')], true],
  ['one of two owners', [person('a', 'owner'), person('b', 'owner')], false],
  ['one whose only fellow owner is disabled', [person('a', 'owner'), person('b', 'owner', { disabledAt: 1 })], true],
  ['no owner', [person('a', 'viewer'), person('b', 'owner')], false],
])('%s', (_, people, isHeld) => expect(lastOwnerWords(people[0] as KnownPerson, people) !== undefined).toBe(isHeld))
