import { test } from 'vitest'
import { programs } from './test-programs.js'

/**
 * Vitest's `test` where the programs are installed. Elsewhere each test is skipped, and its name says what it needs first:
 * `skips-reporter.js` counts by the name.
 */
export function testWith(...needed) {
  const program = needed.find((name) => programs[name].find() === undefined)
  if (program === undefined) return test
  const named = (name) => `${name} [needs ${program}]`
  const skipped = (name, ...rest) => test.skip(named(name), ...rest)
  const each =
    (...rows) =>
    (name, ...rest) =>
      test.skip.each(...rows)(named(name), ...rest)
  return Object.assign(skipped, { each })
}
