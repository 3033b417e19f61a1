import type { Job, JobSlot } from 'protocol'
import { expect, test } from 'vitest'
import { costOf, instant, stateOf, summaryOf } from './words.ts'

const at = Date.UTC(2026, 9, 24, 18, 11)
const slot = (more: Partial<JobSlot>): JobSlot => ({ jobId: 'j', slot: at, state: 'done', ...more })
const job = (more: Partial<Job>) => ({ state: 'active', last: [], ...more }) as unknown as Job

test.each([
  ['20:11', at, 'Europe/Berlin'],
  ['18:11', at, 'UTC'],
  // An hour later by the clock, and two by the sun: the clocks go back that night.
  ['Sun 20:11', at + 25 * 3_600_000, 'Europe/Berlin'],
  ['Sun 1 Nov 20:11', at + 8 * 86_400_000 + 3_600_000, 'Europe/Berlin'],
])('an instant is written as %s in its zone', (words, when, zone) => {
  expect(instant(when, at - 60_000, zone)).toBe(words)
})

test.each([
  ['well', job({ last: [slot({})] }), { mark: 'ok' }],
  ['never run', job({}), { mark: 'stopped', tag: 'not run yet' }],
  ['missed', job({ last: [slot({}), slot({ state: 'missed' })] }), { mark: 'missed', tag: 'missed' }],
  ['unknown', job({ last: [slot({ state: 'unknown' })] }), { mark: 'unknown', tag: 'outcome unknown' }],
  ['waiting', job({ last: [slot({ state: 'waiting' })] }), { mark: 'ask', tag: 'waits for you' }],
  ['paused', job({ state: 'paused', last: [slot({ state: 'failed' })] }), { mark: 'pause', tag: 'paused' }],
  ['over', job({ state: 'ended', last: [slot({})] }), { mark: 'none', tag: 'ended' }],
])('a job that is %s says so', (_, known, shown) => expect(stateOf(known)).toEqual(shown))

test('what is known of a run is said, and nothing else', () => {
  expect(costOf(slot({}))).toBe('')
  expect(costOf(slot({ startedAt: at, endedAt: at + 72_000, tokens: 0 }))).toBe('1 min, 0 tokens')
  expect(costOf(slot({ tokens: 1_200, costUsd: 0.03 }), false)).toBe('1.2k tokens, $0.03')
  expect(summaryOf(slot({ state: 'missed', summary: 'JARVIS was off', caughtUpAt: at + 3_600_000 }), 'UTC')).toBe(
    'JARVIS was off, caught up at 19:11: it only reads',
  )
  expect(summaryOf(slot({ state: 'unknown', isByHand: true }), 'UTC')).toBe('by hand: outcome unknown')
})
