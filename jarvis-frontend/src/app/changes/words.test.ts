import { expect, test } from 'vitest'
import { undoWords } from '../../features/confirmations/undo-words.ts'
import { armedWords, spokenWords, standOf, undoable } from './words.ts'

const now = new Date(2026, 9, 6, 9, 21).getTime()
const at = now + 600_000

test.each([
  [{ state: 'armed', goesBackAt: at }, 'armed'],
  [{ state: 'armed', goesBackAt: now }, 'due'],
  [{ state: 'undoing', goesBackAt: at }, 'undoing'],
  [{ state: 'undone', goesBackAt: now - 60_000, decidedAt: now - 58_000, decidedBy: 'mira' }, 'by_itself'],
  [{ state: 'undone', goesBackAt: at, decidedAt: now, decidedBy: 'mira' }, 'on_request'],
  [{ state: 'undone', decidedAt: now, decidedBy: 'mira' }, 'on_request'],
  [{ state: 'made', decidedAt: now, decidedBy: 'mira' }, 'kept'],
  [{ state: 'made', problem: 'The level is 30 now, not 20.' }, 'could_not'],
  [{ state: 'made', decidedBy: 'mira', problem: 'The level is 30 now, not 20.' }, 'could_not'],
  [{ state: 'made' }, 'made'],
  [{ state: 'unknown', problem: 'no answer' }, 'unknown'],
] as const)('%j stands as %s', (change, stand) => {
  expect(standOf(change, now)).toBe(stand)
})

const call = { kind: 'call', sentence: 'The level goes back to 5.' } as const

test.each([
  [{ state: 'made', undo: call }, undefined],
  [{ state: 'unknown', undo: call }, undefined],
  [{ state: 'made', undo: { ...call, until: now } }, 'could be undone until 09:21'],
  [{ state: 'undone', undo: call }, 'taken back'],
  [{ state: 'undoing', undo: call }, 'is being taken back'],
  [{ state: 'made', undo: { kind: 'none', sentence: 'The disk is gone.' } }, 'cannot be undone: the disk is gone'],
  [{ state: 'made', undo: { kind: 'none', sentence: 'A restart is over.', losesNothing: true } }, 'a restart is over'],
  [
    { state: 'made', undo: { kind: 'none', sentence: 'JARVIS keeps no secret.' } },
    'cannot be undone: JARVIS keeps no secret',
  ],
] as const)('of %j Undo is refused with %s', (change, why) => {
  expect(undoable(change, now)).toEqual(why === undefined ? { may: true } : { may: false, why })
})

test('an undo says until when it holds and what it loses', () => {
  expect(undoWords({ ...call, until: at, loses: 'What was written since.' }, now)).toBe(
    'The level goes back to 5, until 09:31; loses what was written since',
  )
  expect(undoWords({ ...call, until: now + 86_400_000 }, now)).toBe('The level goes back to 5, until Wed 7 Oct, 09:21')
})

test('a node with a timer of its own takes the change back without JARVIS', () => {
  expect(armedWords(undefined)).toContain('survives a restart')
  expect(armedWords('pve')).toContain('also where JARVIS cannot reach it')
})

test('the time that is left is spoken with the question', () => {
  expect(spokenWords(120_000, 'The level is 9.')).toBe('2 minutes left: The level is 9. Keep it?')
  expect(spokenWords(30_000, 'The level is 9.')).toBe('30 seconds left: The level is 9. Keep it?')
})
