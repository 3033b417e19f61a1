import { expect, test } from 'vitest'
import type { StoredAlert } from './alert.ts'
import type { Measure } from './check.ts'
import { type Missing, step } from './step.ts'

const minuteMs = 60_000
const object = { id: 'node/pve', name: 'pve', node: 'pve' }
type Level = Measure['level'] | 'gone'
const levels: readonly Level[] = ['info', 'look', 'failed', 'clear', 'between', 'unseen', 'gone']
const bad = new Set<Level>(['info', 'look', 'failed'])

const measureOf = (level: Level): Parameters<typeof step>[1] =>
  level === 'unseen' || level === 'gone'
    ? ({ object, level } satisfies Missing)
    : { object, level, words: level, sentence: `pve is ${level}.` }

/** A run of the same numbers each time (mulberry32). */
function random(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** Plays looks, a minute apart unless said otherwise. @returns the alert after each of them */
function play(looks: readonly (Level | [Level, afterMs: number])[], forMs: number): (StoredAlert | undefined)[] {
  let alert: StoredAlert | undefined
  let earlier: StoredAlert | undefined
  let now = 0
  return looks.map((look, index) => {
    const [level, afterMs] = typeof look === 'string' ? [look, minuteMs] : look
    now += afterMs
    const open = alert?.state === 'resolved' ? undefined : alert
    alert = step(open, measureOf(level), { now, id: `alr_${index}`, check: 'c', forMs, everyMs: minuteMs, earlier })
    if (alert?.state === 'resolved') earlier = alert
    return alert
  })
}
const statesOf = (looks: Parameters<typeof play>[0], forMs: number) =>
  play(looks, forMs).map((alert) => alert?.state ?? 'none')

test.each<[string, Parameters<typeof play>[0], number, string[]]>([
  ['fires at once without a time', ['look'], 0, ['firing']],
  ['fires when its time is over', ['look', 'look', 'look'], 2 * minuteMs, ['pending', 'pending', 'firing']],
  ['is forgotten when it ends before', ['look', 'clear', 'look'], minuteMs, ['pending', 'none', 'pending']],
  ['does not begin within the hysteresis', ['between'], 0, ['none']],
  ['goes on within the hysteresis', ['look', 'between', 'clear'], 0, ['firing', 'firing', 'resolved']],
  ['does not fire within the hysteresis', ['look', 'between', 'look'], minuteMs, ['pending', 'pending', 'firing']],
  ['is held by missing data', ['look', 'unseen', 'unseen', 'look'], 0, ['firing', 'held', 'held', 'firing']],
  [
    'does not fire on missing data',
    ['look', 'unseen', 'unseen', 'look'],
    minuteMs,
    ['pending', 'pending', 'pending', 'firing'],
  ],
  ['ends from held by a measured clear value', ['look', 'unseen', 'clear'], 0, ['firing', 'held', 'resolved']],
  ['ends when the object is gone', ['look', 'gone'], 0, ['firing', 'resolved']],
  ['begins anew after a gap without looks', ['look', ['look', 16 * minuteMs]], 2 * minuteMs, ['pending', 'pending']],
])('an alert %s', (_name, looks, forMs, states) => {
  expect(statesOf(looks, forMs)).toEqual(states)
})

test('whatever is seen, missing data ends nothing, nothing fires early, and an end is told only where the beginning was', () => {
  for (let seed = 0; seed < 400; seed += 1) {
    const next = random(seed)
    const forMs = next(4) * minuteMs
    const looks = Array.from({ length: 60 }, (): Level => levels[next(levels.length)] ?? 'clear')
    const after = play(looks, forMs)
    for (const [at, alert] of after.entries()) {
      const where = `seed ${seed}, look ${at}: ${looks.slice(Math.max(0, at - 8), at + 1).join(' ')}`
      const before = after[at - 1]?.state === 'resolved' ? undefined : after[at - 1]
      const level = looks[at] as Level
      if (level === 'unseen') {
        expect(alert?.state, where).toBe(before?.firedAt === undefined ? before?.state : 'held')
        expect(alert?.id, where).toBe(before?.id)
      }
      if (alert?.state === 'resolved') expect(['clear', 'gone'], where).toContain(level)
      if (alert?.firedAt !== undefined && before?.firedAt === undefined) {
        expect(bad.has(level), where).toBe(true)
        expect(alert.firedAt - alert.since, where).toBeGreaterThanOrEqual(forMs)
      }
      if (bad.has(level)) expect(alert, where).toBeDefined()
      // A message of an end needs one of the beginning.
      if (alert?.due?.what === 'resolved')
        expect(
          alert.told.some(({ what }) => what === 'fired'),
          where,
        ).toBe(true)
    }
  }
})
