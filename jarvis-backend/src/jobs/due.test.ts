import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../scripts/property-runs.ts'
import { dueOf, graceMs, type Looked } from './due.ts'
import { timesOf } from './times.ts'

const hourMs = 60 * 60_000
const anchor = Date.UTC(2026, 0, 1)
const base: Looked = {
  jobId: 'job',
  times: timesOf({ kind: 'interval', minutes: 60 }, anchor),
  cursor: anchor,
  now: anchor,
  isChanging: false,
  stopped: undefined,
  busy: undefined,
  hasQueued: false,
  overBudget: undefined,
}
const busy = 'The run before it goes on.'
const at = (hours: number, plusMs = 0) => anchor + hours * hourMs + plusMs

test.each<[string, Partial<Looked>, string[]]>([
  ['nothing has come', { now: at(1, -1) }, []],
  ['on the minute', { now: at(1) }, ['claimed']],
  ['a moment late', { now: at(1, 60_000) }, ['claimed']],
  ['a read half an hour late', { now: at(1, hourMs / 2) }, ['claimed, caught up']],
  ['a change half an hour late', { now: at(1, hourMs / 2), isChanging: true }, ['missed']],
  ['several reads, the newest within the hour', { now: at(3, hourMs / 2) }, ['missed', 'missed', 'claimed, caught up']],
  ['beside a run', { now: at(1), busy }, ['claimed, queued']],
  ['beside a run and one that waits', { now: at(1), busy, hasQueued: true }, ['skipped']],
  ['a change beside a run', { now: at(1), busy, isChanging: true }, ['skipped']],
  ['with the day’s budget used', { now: at(1), overBudget: 'The day’s budget is used.' }, ['skipped']],
  ['all stopped before it', { now: at(1), stopped: { by: 'ana', at: at(0) } }, ['skipped']],
  ['all stopped between two', { now: at(2), stopped: { by: 'ana', at: at(1, 1) } }, ['missed', 'skipped']],
  ['the clock set back', { now: at(-1), cursor: at(5) }, []],
])('%s', (_, looked, expected) => {
  const { rows, claim } = dueOf({ ...base, ...looked })
  const words = [...rows, ...(claim ? [claim] : [])].map(
    ({ state, caughtUpAt, isQueued }) =>
      `${state}${caughtUpAt === undefined ? '' : ', caught up'}${isQueued ? ', queued' : ''}`,
  )
  expect(words).toEqual(expected)
})

test('a month that was slept over leaves a hundred rows at most; a longer gap, or a clock that leapt, one of the first missed time', () => {
  const month = dueOf({ ...base, now: at(24 * 29), isChanging: true })
  expect([month.rows.length + (month.claim ? 1 : 0), month.rows[0]?.summary]).toEqual([
    100,
    'JARVIS was not running then, or slept. Those before it were missed too.',
  ])
  const leap = dueOf({ ...base, now: at(24 * 365 * 9, hourMs / 2), isChanging: true })
  expect(leap.rows).toMatchObject([{ slot: at(1), state: 'missed', summary: expect.stringContaining('all its times') }])
  const read = dueOf({ ...base, now: at(24 * 365 * 9) })
  expect([read.rows.length, read.claim?.slot]).toEqual([1, at(24 * 365 * 9)])
})

test('over any order of looks, clocks and stops, each slot has one row and begins at most once', () => {
  const step = fc.record({
    moveMs: fc.oneof(
      ...[
        fc.integer({ min: 0, max: 90_000 }),
        fc.integer({ min: 0, max: 30 * hourMs }),
        fc.integer({ min: -3 * hourMs, max: 0 }),
      ],
    ),
    isBusy: fc.boolean(),
    isStopped: fc.boolean(),
  })
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 90 }),
      (steps, isChanging, minutes) => {
        const times = timesOf({ kind: 'interval', minutes }, anchor)
        const rows = new Map<number, string>()
        let [now, cursor, latest, begun] = [anchor, anchor, anchor, 0]
        for (const { moveMs, isBusy, isStopped } of steps) {
          now += moveMs
          latest = Math.max(latest, now)
          const stopped = isStopped ? { by: 'ana', at: now } : undefined
          const due = dueOf({ ...base, times, now, cursor, isChanging, stopped, busy: isBusy ? busy : undefined })
          cursor = due.cursor
          for (const row of [...due.rows, ...(due.claim ? [due.claim] : [])]) {
            expect(now - row.slot).toBeGreaterThanOrEqual(0)
            // As the store does: a slot that is there already keeps its row.
            if (rows.has(row.slot)) continue
            rows.set(row.slot, row.state)
            if (row.state !== 'claimed') continue
            begun += 1
            expect(now - row.slot).toBeLessThanOrEqual(isChanging ? 90_000 : graceMs)
            expect(isStopped).toBe(false)
            if (isChanging) expect(isBusy).toBe(false)
          }
        }
        // Each of the newest hundred slots has its row. The oldest row also tells of the earlier slots that a jump of the clock passed over.
        const known = times.newest(anchor, latest, 20).slots
        expect(known.filter((slot) => slot <= now).every((slot) => rows.has(slot))).toBe(true)
        expect(begun).toBeLessThanOrEqual(rows.size)
      },
    ),
    runs(50),
  )
})
