import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayMs, minuteMs, quarterMs, weekMs } from 'homelab-ports/samples'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../database.ts'
import { SqliteSampleStore } from './samples.ts'

const start = 20_000 * dayMs
const node = (cpuRatio: number | undefined, temperatureC = 50.25, netBps = 1e6) => ({
  name: 'node/pve',
  values: [cpuRatio, 0.5, 24.31, temperatureC, netBps],
})

function openRing(path = ':memory:') {
  const database = openDatabase(path)
  const ring = new SqliteSampleStore(database)
  return {
    keepOf: ring.keepOf.bind(ring),
    keep: ring.keep.bind(ring),
    fill: ring.fill.bind(ring),
    database,
    read: (...asked: Parameters<typeof ring.read>) => new Map(ring.read(...asked)),
    minutes: (from: number, count: number) =>
      [...ring.read(['node/pve'], { stepMs: minuteMs, from, count })][0]?.[1] ?? [],
    quarters: (from: number, count: number) =>
      [...ring.read(['node/pve'], { stepMs: quarterMs, from, count })][0]?.[1] ?? [],
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
  again.keep(start + 3 * minuteMs, [{ name: 'guest/101', values: [1, 0, undefined, 0, 2e6] }, node(0.72)])
  const [at0, at1, at2, at3] = again.minutes(start, 4)
  expect(at0?.map((value) => Number(value?.toPrecision(3)))).toEqual([0.71, 0.5, 24.3, 50.3, 1e6])
  expect(at1).toEqual([])
  expect(at2?.[0]).toBeUndefined()
  expect(at2?.[3]).toBe(50.25)
  expect(at3?.[0]).toBeCloseTo(0.72)
  expect(again.read(['guest/101', 'guest/999'], { stepMs: minuteMs, from: start + 3 * minuteMs, count: 1 })).toEqual(
    new Map([['guest/101', [[1, 0, undefined, 0, expect.closeTo(2e6, -4)]]]]),
  )
  again.database.close()
})

test('the mean of what a guest reads and writes is one of rates, beside the degrees of a node', () => {
  const ring = openRing()
  const guest = (diskBps: number) => ({ name: 'guest/101', values: [0.1, 0.1, undefined, 0, diskBps] })
  ring.keep(start, [node(0.2, 40), guest(0)])
  ring.keep(start + minuteMs, [node(0.4, 60), guest(2_000_000)])
  ring.keep(start + 60 * minuteMs, [node(0.9)])
  const [quarter] = ring.read(['guest/101'], { stepMs: quarterMs, from: start, count: 1 }).get('guest/101') ?? []
  expect((quarter?.[4] ?? 0) / 1e6).toBeCloseTo(1, 2)
  expect(ring.quarters(start, 1)[0]?.[3]).toBe(50)
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
  expect(ring.read(['guest/100'], { stepMs: quarterMs, from: start, count: 1 }).size).toBe(0)
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
  const [last] = ring.read(['guest/2099'], { stepMs: minuteMs, from: start, count: 1 }).get('guest/2099') ?? []
  expect(last?.[0]).toBeCloseTo(1_999 / 2_000, 3)
})

test('what a cluster remembers goes where nothing was kept, and the means that were made are made again', () => {
  const ring = openRing()
  ring.keep(start + 2 * minuteMs, [node(0.9)])
  ring.keep(start + quarterMs, [node(0.5)])
  expect(ring.quarters(start, 1)[0]?.[0]).toBeCloseTo(0.9)
  const minutes = [0, 1, 2, 3].map((minute) => start + minute * minuteMs)
  ring.fill([
    {
      minutes,
      samples: [
        { name: 'guest/101', values: [0.25, 0.5, undefined, 10] },
        { name: 'node/pve', values: [0.1, 0.5, 24, 40] },
      ],
    },
    { minutes: minutes.slice(0, 2), samples: [node(0.3, 70, 2e6)] },
  ])
  expect(ring.minutes(start, 5).map((values) => values[0]?.toFixed(1))).toEqual(['0.1', '0.1', '0.9', '0.1', undefined])
  expect(ring.minutes(start, 4).map((values) => values[3])).toEqual([40, 40, 50.25, 40])
  expect(ring.minutes(start, 1)[0]?.[4]).toBeCloseTo(2e6, -4)
  expect(
    ring
      .read(['guest/101'], { stepMs: minuteMs, from: start, count: 5 })
      .get('guest/101')
      ?.map(([cpu]) => cpu?.toFixed(2)),
  ).toEqual([...['0.25', '0.25', '0.25', '0.25'], undefined])
  expect(ring.quarters(start, 1)[0]?.[0]).toBeCloseTo(0.3)
  expect(ring.rows()).toBe(6)
})

test('what was kept of another cluster is forgotten, and an address more or less does not make it another', () => {
  const ring = openRing()
  const [a, b, c] = ['https://10.0.0.1:8006', 'https://10.0.0.2:8006', 'https://10.0.0.3:8006']
  const connect = (...addresses: string[]) => {
    ring.keepOf(addresses)
    const [before] = ring.minutes(start, 1)
    ring.keep(start, [{ name: 'guest/101', values: [1, 0, undefined, 0] }, node(0.5)])
    return before?.[0] !== undefined
  }
  const kept = [['demo'], ['demo'], [a, b], [b], [c, b], [c], [a], ['demo']].map((addresses) => connect(...addresses))
  expect(kept).toEqual([false, true, false, true, true, true, false, false])
})
