import { expect, test } from 'vitest'
import { deedWords } from './words.ts'

test.each([
  [{ kind: 'call' }, 'Asked', 'step'],
  [{ kind: 'call', outcome: 'done' }, 'Read', 'ok'],
  [{ kind: 'call', outcome: 'failed' }, 'Read', 'bad'],
  [{ kind: 'call', outcome: 'rehearsed' }, 'Rehearsed', 'step'],
  [{ kind: 'result', outcome: 'done' }, 'Did', 'ok'],
  [{ kind: 'result', outcome: 'unknown' }, 'Tried', 'unknown'],
  [{ kind: 'refusal' }, 'Refused', 'none'],
  [{ kind: 'decision' }, 'Decided', 'step'],
] as const)('the journal entry %j reads as %s', (deed, word, mark) => {
  expect(deedWords(deed)).toEqual({ word, mark })
})
