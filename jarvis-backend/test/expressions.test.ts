import { expect, test } from 'vitest'
import { expressionsIn } from './expressions/collect.ts'
import { costOf } from './expressions/cost.ts'
import { slower, unreadable } from './expressions/exceptions.ts'

test.each([
  [1, 'x+'],
  [1, '^x+$'],
  [1, '"[^"]*"'],
  [1, '\\b\\w+!'],
  [1, '(?<!x)x+$'],
  [1, 'a(?=\\s*b)'],
  [1, '^(?=.*\\d)(?=.*[a-z]).+$'],
  [1, '^\\s*(\\w+)\\s*([^]*)$'],
  [1, '(?<!\\s)\\s*\\n\\s*'],
  [2, 'x+$'],
  [2, '\\s(?=\\s*b)'],
  [2, '(?<=on\\s+)\\d'],
  [2, '^.*=.*=$'],
  [2, '\\d{1,500}x'],
  [3, '^(#{1,6})\\s+(.+?)\\s*#*$'],
  [4, '.*a.*a.*b'],
  [Number.POSITIVE_INFINITY, '^(a|a)*b'],
  [Number.POSITIVE_INFINITY, '^(a*)*b'],
  [Number.POSITIVE_INFINITY, '^(a|ab|b)*c'],
  [Number.POSITIVE_INFINITY, '^(?:a?a?b?){0,40}c'],
  [Number.POSITIVE_INFINITY, '^"(?:[^"\\\\%]|\\\\[tn]|%(?:%|[-+0 ]?\\d{0,2}(?:\\.\\d{1,2})?[sdifgeu]))*"'],
])('the time of a matcher grows with the length to the power %d: %s', (power, source) => {
  expect(costOf(source, '')).toBe(power)
})

// All 1,700 of them take some seconds.
test('no expression that meets foreign text costs more than linear time', async () => {
  const { found, unread } = await expressionsIn()
  const costs = new Map<string, number>()
  const needed = new Set<unknown>()
  const problems = found.flatMap((one) => {
    const { file, line, source, flags } = one
    const key = `${source}/${flags}`
    const cost = costs.get(key) ?? costOf(source, flags)
    costs.set(key, cost)
    if (cost === 1) return []
    const exception = slower.find(({ is, power }) => cost <= power && is(one))
    needed.add(exception)
    const at = `${file}${line === undefined ? '' : `:${line}`}`
    const growth = cost === Number.POSITIVE_INFINITY ? 'doubles with each character' : `is of power ${cost}`
    return exception === undefined ? `${at}: the time of /${source}/${flags} ${growth}` : []
  })
  const unknown = unread.flatMap((one) => {
    const exception = unreadable.find(({ is }) => is(one))
    needed.add(exception)
    return exception === undefined ? `${one.file}:${one.line}: ${one.code} cannot be read` : []
  })

  expect(found.length).toBeGreaterThan(1_500)
  expect([...problems, ...unknown]).toEqual([])
  expect([...slower, ...unreadable].filter((exception) => !needed.has(exception))).toEqual([])
}, 30_000)
