import { expect, onTestFinished, test } from 'vitest'
import { mutate } from './mutation/mutants.ts'
import { filesOf, targetNames } from './mutation/targets.ts'

const source = `// Größe’s first line
const tiers = ['red', 'black']
let hits = 0
const count = () => hits++
tiers.length > 1 && count()
if (!input.ok) return 'refused'
return [tiers.some((tier) => /^r/i.test(tier)), hits + 1].join(' ')`

/** Runs the text with one mutant awake, or with none. */
function run(awake?: number): unknown {
  Object.assign(globalThis, { isMutant: (id: number) => id === awake })
  onTestFinished(() => {
    Reflect.deleteProperty(globalThis, 'isMutant')
  })
  try {
    return new Function('input', body.code)({ ok: true })
  } catch (error) {
    return error
  }
}
const wrapped = mutate(`function run(input) {${source}}`, 100)
const body = { ...wrapped, code: wrapped.code.replace(/^function run\(input\) \{/, '').replace(/\}$/, '') }

test('with all mutants asleep a text does the same, and each that is awake does what it says', () => {
  expect(run()).toBe('true 2')
  const came = Object.fromEntries(body.mutants.map(({ id, change }) => [change, String(run(id))]))
  expect(came).toEqual({
    "['red', 'black'] → []": 'false 1',
    "without 'red'": 'false 1',
    "without 'black'": 'true 1',
    "'red' → 'yellow'": 'false 2',
    "'black' → 'red'": 'true 2',
    '> → >=': 'true 2',
    '&& → ||': 'true 1',
    '!input.ok → without !': 'refused',
    'if !input.ok → true': 'refused',
    'if !input.ok → false': 'true 2',
    '[tiers.some((tier) => /^r/i.test(tier)), hits + 1] → []': '',
    'without tiers.some((tier) => /^r/i.test(tier))': '2',
    'without hits + 1': 'true',
    '.some → .every': 'false 2',
    '/^r/i without ^': 'true 2',
    '/^r/i without i': 'true 2',
    '+ → -': 'true 0',
  })
  expect(body.mutants.map(({ id }) => id)).toEqual(body.mutants.map((_, at) => 100 + at))
  expect(body.mutants.at(-1)?.line).toBe(7)
})

test('types and names have no mutants', () => {
  const typed = `type Tier = 'red' | 'black'
const { low = 'low' as Tier, ...rest } = { low: 'low' }
export const is = (x: 'red'): x is 'red' => x satisfies 'red'
export { type Tier, low, rest as others }
export { b } from './b.ts'`
  expect(mutate(typed)).toEqual({ code: typed, mutants: [] })
})

test('each target has code and tests', () => {
  for (const name of targetNames) {
    const { code, tests } = filesOf(name)
    expect(code.length, name).toBeGreaterThan(0)
    expect(tests.length, name).toBeGreaterThan(0)
  }
})
