import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../scripts/property-runs.ts'
import { globPattern } from './glob.ts'

test.each([
  ['*.yml', 'compose.yml', true],
  ['*.yml', 'media/compose.yml', false],
  ['**/*.yml', 'compose.yml', true],
  ['**/*.yml', 'media/tv/compose.yml', true],
  ['**/*.yml', 'media//compose.yml', false],
  ['media/**', 'media/tv/a b', true],
  ['**', '', true],
  ['{a,b*}/?.txt', 'bcd/1.txt', true],
  ['{a,b*}/?.txt', 'c/1.txt', false],
  ['{a,{b,c}}', 'c', true],
  ['{a,b', 'b', true],
  ['a}', 'a}', true],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['[a', '[a', true],
  ['a.b', 'axb', false],
  ['', '', true],
])('%s and %s: %s', (glob, path, fits) => {
  expect(globPattern(glob).test(path)).toBe(fits)
})

test('a range that is upside down is refused', () => {
  expect(() => globPattern('[z-a]')).toThrow(SyntaxError)
})

test('stars read as the regular expression of the same meaning', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', '/', '*', '?', '**/'), { maxLength: 8 }).map((all) => all.join(''))
  fc.assert(
    fc.property(letters, fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 8 }), (glob, path) => {
      const source = glob.replace(/\*\*\/|\*\*|[*?]/g, (sign) =>
        sign === '**/' ? '(?:[^/]+/)*' : sign === '**' ? '.*' : sign === '*' ? '[^/]*' : '[^/]',
      )
      expect(globPattern(glob).test(path)).toBe(new RegExp(`^${source}$`).test(path))
    }),
    runs(300),
  )
})
