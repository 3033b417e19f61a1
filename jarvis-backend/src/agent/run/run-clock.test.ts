import { expect, test } from 'vitest'
import type { StoredEntry } from '../sessions/transcript-store.ts'
import { activeMs } from './run-clock.ts'

const at = (at: number, type: string, toolUseId = 'a') =>
  ({ seq: 0, runId: 'run_1', at, type, toolUseId }) as StoredEntry
const asked = (time: number, id?: string) => at(time, 'confirm_needed', id)
const decided = (time: number, id?: string) => at(time, 'confirm_resolved', id)
const begun = at(1_000, 'user')

test.each<[string, StoredEntry[], number, StoredEntry[][], number]>([
  ['nothing began', [], 0, [], 0],
  ['time since the first entry', [begun], 0, [], 9_000],
  ['a wait for a person does not count', [begun, asked(2_000), decided(5_000)], 0, [], 6_000],
  ['nor one that goes on', [begun, asked(2_000)], 0, [], 1_000],
  [
    'two waits at once count once',
    [begun, asked(2_000), asked(3_000, 'b'), decided(5_000), decided(6_000, 'b')],
    0,
    [],
    5_000,
  ],
  [
    'one within another counts once',
    [begun, asked(2_000), asked(3_000, 'b'), decided(4_000, 'b'), decided(6_000)],
    0,
    [],
    5_000,
  ],
  ['a helper’s wait does not count', [begun, asked(2_000), decided(3_000)], 0, [[asked(4_000), decided(5_000)]], 7_000],
  [
    'a question is a wait too',
    [
      begun,
      { ...at(2_000, 'question'), questionId: 'q' } as StoredEntry,
      { ...at(8_000, 'question_resolved'), questionId: 'q' } as StoredEntry,
    ],
    0,
    [],
    3_000,
  ],
  ['nor time in which JARVIS was down', [begun], 4_000, [], 5_000],
  ['a clock set back counts as nothing', [at(20_000, 'user')], 0, [], 0],
])('%s', (_what, entries, stoodMs, helpers, expected) => {
  expect(activeMs(entries, 10_000, { stoodMs, helpers })).toBe(expected)
})
