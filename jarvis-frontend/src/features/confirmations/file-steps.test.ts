import type { FileDiff } from 'protocol'
import { expect, test } from 'vitest'
import { shownOf, stepped, unseenLines } from './file-steps.ts'

const file = (lines: string[], more: Partial<FileDiff> = {}): FileDiff => ({
  path: 'caddy/Caddyfile',
  change: 'changed',
  added: 0,
  removed: 0,
  left: 0,
  lines,
  ...more,
})
const begun = file([' a', '-b'], { added: 2, removed: 1, left: 3 })
const whole = file([' a', '-b', '+c', '+d', ' e'], { added: 2, removed: 1 })

test('more lines come from the whole file, and the rest is counted', () => {
  expect(shownOf(begun, undefined, 200)).toBe(begun)
  expect(shownOf(begun, whole, 0)).toBe(begun)
  expect(shownOf(begun, whole, 2)).toMatchObject({ lines: [' a', '-b', '+c', '+d'], left: 1 })
  expect(shownOf(begun, whole, 200)).toMatchObject({ lines: whole.lines, left: 0 })
})

test.each([
  ['a line that goes is seen, two that come are not', [begun], undefined, 2],
  ['all lines are shown', [shownOf(begun, whole, 200)], undefined, 0],
  ['only unchanged lines are left', [shownOf(begun, whole, 2)], undefined, 0],
  ['a file whose bytes are no text has no lines', [file([], { added: 0, note: 'It is no text.' })], undefined, 0],
  ['on a phone a file that was not in front is not seen', [whole, whole], new Set([0]), 3],
  ['both were in front', [whole, whole], new Set([0, 1]), 0],
] as const)('%s', (_, files, seen, lines) => {
  expect(unseenLines(files, seen)).toBe(lines)
})

test('the first and the last file are ends', () => {
  expect([stepped(0, -1, 3), stepped(0, 1, 3), stepped(2, 1, 3)]).toEqual([0, 1, 2])
})
