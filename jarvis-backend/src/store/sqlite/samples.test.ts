import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { dayMs, minuteMs, quarterMs, weekMs } from '../../homelab/samples.ts'
import { openDatabase } from './database.ts'
import { createSampleStore } from './samples.ts'

const start = 20_000 * dayMs
const node = (cpuRatio: number | undefined, temperatureC = 50.25, netBps = 1e6) => ({
  name: 'node/pve',
  values: [cpuRatio, 0.5, 24.31, temperatureC, netBps],
})

function openRing(path = ':memory:') {
  const database = openDatabase(path)
  const ring = createSampleStore(database)
  return {
    ...ring,
    database,
    read: (...asked: Parameters<typeof ring.read>) => new Map(ring.read(...asked)),
    minutes: (from: number, count: number) => [...ring.read(['node/pve'], minuteMs, from, count)][0]?.[1] ?? [],
    quarters: (from: number, count: number) => [...ring.read(['node/pve'], quarterMs, from, count)][0]?.[1] ?? [],
    rows: () => database.sql.prepare('SELECT count(*) FROM samples').pluck().get() as number,
  }
}

test('what was kept comes back to three digits, a gap stays a gap, and a restart changes nothing', () => {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const first = openRing(join(dir, 'jarvis.db'))
  first.keep(start, [node(0.71)])
  first.keep(start + 2 * minuteMs, [node(undefined)])
  first.database.close()

  const again = openRing(join(dir, 'jarvis.db'))
  again.keep(start + 3 * minuteMs, [{ name: 'guest/101', values: [1, 0, undefined, 0] }, node(0.72)])
  const [at0, at1, at2, at3] = again.minutes(start, 4)
  expect(at0?.map((value) => Number(value?.toPrecision(3)))).toEqual([0.71, 0.5, 24.3, 50.3, 1e6])
  expect(at1).toEqual([])
  expect(at2?.[0]).toBeUndefined()
  expect(at2?.[3]).toBe(50.25)
  expect(at3?.[0]).toBeCloseTo(0.72)
  expect(again.read(['guest/101', 'guest/999'], minuteMs, start + 3 * minuteMs, 1)).toEqual(
    new Map([['guest/101', [[1, 0, undefined, 0]]]]),
  )
  again.database.close()
})

test('a quarter of an hour is the mean of its minutes, also of those before a restart', () => {
  const ring = openRing()
  ring.keep(start, [node(0.2, 40, 100)])
  ring.keep(start + minuteMs, [node(0.4, 60, 1_000_000)])
  expect(ring.quarters(start, 1)).toEqual([[]])
  // Nothing for an hour: JARVIS did not run.
  ring.keep(start + 60 * minuteMs, [node(0.9)])
  const quarters = ring.quarters(start, 4)
  expect(quarters.map((quarter) => quarter[0] !== undefined)).toEqual([true, false, false, false])
  expect(quarters[0]?.[0]).toBeCloseTo(0.3)
  expect(quarters[0]?.[3]).toBe(50)
  expect((quarters[0]?.[4] ?? 0) / 500_050).toBeCloseTo(1, 2)
})

test('ten days take the room of one day and one week, and who is gone leaves its place', () => {
  const ring = openRing()
  ring.keep(start, [{ name: 'guest/100', values: [1, 1, 1, 1] }, node(0.1)])
  for (let at = start + quarterMs; at <= start + 10 * dayMs; at += quarterMs) ring.keep(at, [node(0.5)])
  expect(ring.rows()).toBe((dayMs + weekMs) / quarterMs + 1)
  expect(ring.read(['guest/100'], quarterMs, start, 1).size).toBe(0)
  ring.keep(start + 10 * dayMs + minuteMs, [{ name: 'guest/200', values: [0, 0, 0, 0] }])
  const places = ring.database.sql.prepare('SELECT name, place FROM sample_series ORDER BY place').all()
  expect(places).toEqual([
    { name: 'guest/200', place: 0 },
    { name: 'node/pve', place: 1 },
  ])
})

test('what a clock that ran ahead wrote does not stay', () => {
  const ring = openRing()
  ring.keep(start + 30 * dayMs, [node(0.9)])
  ring.keep(start, [node(0.1)])
  expect(ring.rows()).toBe(1)
})

test('2,000 guests lie in a few rows a minute', () => {
  const ring = openRing()
  const guests = Array.from({ length: 2_000 }, (_, at) => ({
    name: `guest/${100 + at}`,
    values: [at / 2_000, 0.5, 0.5, at],
  }))
  ring.keep(start, guests)
  expect(ring.rows()).toBe(21)
  const [last] = ring.read(['guest/2099'], minuteMs, start, 1).get('guest/2099') ?? []
  expect(last?.[0]).toBeCloseTo(1_999 / 2_000, 3)
})

test('what was kept of the demo is forgotten once a cluster is connected, and only then', () => {
  const ring = openRing()
  ring.keep(start, [node(0.71)])
  ring.keepOf('demo')
  ring.keepOf('demo')
  expect(ring.minutes(start, 1)[0]?.[0]).toBeCloseTo(0.71)
  ring.keepOf('real')
  expect(ring.rows()).toBe(0)
  expect(ring.minutes(start, 1)).toEqual([])
  ring.keep(start, [{ name: 'guest/101', values: [1, 0, undefined, 0] }, node(0.2)])
  ring.keepOf('real')
  expect(ring.minutes(start, 1)[0]?.[0]).toBeCloseTo(0.2)
})
