import { expect, test } from 'vitest'
import { isStale } from './use-command.ts'

const seenAt = 1_000_000
const now = { server: seenAt, here: seenAt }

test.each([
  ['just answered', undefined, 0, false],
  ['two answers missing', undefined, 3_000, false],
  ['no answer for six seconds, as behind a dead network', undefined, 6_001, true],
  ['a request that failed a moment ago', 'JARVIS could not be reached.', 500, true],
])(
  'a command that ran when last seen passes for running only while answers come: %s',
  (_, problem, laterMs, expected) => {
    expect(isStale({ now, problem }, seenAt + laterMs)).toBe(expected)
  },
)
