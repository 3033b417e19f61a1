import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Past } from 'homelab-ports/samples'
import { samplesOf } from 'homelab-ports/samples'
import type { ClusterState } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { createFakeClock } from './support/fake-clock.ts'
import { minuteMs, nodeLost, quietState, startWatching } from './support/watching.ts'

/** A series as it was recorded each minute, in runs: `50x10 81x5 -x2` is ten minutes, five, and two without a value. */
function minutesOf(runs: string): (number | undefined)[] {
  return runs.split(' ').flatMap((run) => {
    const [value = '', times = '1'] = run.split('x')
    return Array.from({ length: Number(times) }, () => (value === '-' ? undefined : Number(value)))
  })
}

type Ring = {
  /** By series and field; a series that ends keeps its last value. */
  series: Record<string, string>
  guests?: number
  /** Minutes in which pve does not answer: first, last. */
  dead?: [first: number, last: number]
  /** Minutes in which JARVIS does not run: first, last. */
  off?: [first: number, last: number][]
  /** The cluster remembers what JARVIS did not record, and is asked at its start. */
  remembers?: true
  minutes: number
}

const start = Date.UTC(2026, 10, 23, 9)
const within = (minute: number, [first, last]: readonly [number, number]) => minute >= first && minute <= last

/** The cluster as the ring has it at a minute. */
function stateAt({ series, guests = 0, dead }: Ring, minute: number): ClusterState {
  const state = quietState(start, guests)
  const value = (name: string, usual: number | undefined) => {
    const recorded = series[name]
    if (recorded === undefined) return usual
    const all = minutesOf(recorded)
    return minute < all.length ? all[minute] : all.at(-1)
  }
  const shown: ClusterState = {
    ...state,
    at: start + minute * minuteMs,
    nodes: state.nodes.map((node) => {
      const ram = value(`node/${node.name} ramRatio`, 0.4)
      const temperatureC = value(`node/${node.name} temperatureC`, 50) ?? null
      const { ramBytes: _none, ...rest } = node
      return { ...rest, temperatureC, ...(ram !== undefined && { ramBytes: ram * 10 }) }
    }),
    guests: state.guests.map((guest) => ({ ...guest, cpuRatio: value(`guest/* cpuRatio`, 0.1) ?? null })),
    storages: state.storages.map((storage) => ({
      ...storage,
      usedBytes: (value(`storage/${storage.node}/${storage.name} usedRatio`, 0.5) ?? 0) * 10,
    })),
  }
  return dead !== undefined && within(minute, dead) ? { ...shown, ...nodeLost('pve')(shown) } : shown
}

/** Plays a ring minute by minute through the checks, the sampler and the store. @returns what was told: at which minute, and what */
async function replay(ring: Ring): Promise<{ at: number; title: string; body: string }[]> {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-ring-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const clock = createFakeClock(start)
  const lives: ReturnType<typeof startWatching>[] = []
  let jarvis: ReturnType<typeof startWatching> | undefined
  for (let minute = 0; minute < ring.minutes; minute += 1) {
    if (ring.off?.some((span) => within(minute, span))) {
      jarvis?.stop()
      jarvis = undefined
      await clock.advance(minuteMs)
      continue
    }
    const state = stateAt(ring, minute)
    if (jarvis === undefined) {
      jarvis = startWatching({ clock, state, path: join(dir, 'jarvis.db'), isRecording: true })
      lives.push(jarvis)
      if (ring.remembers) jarvis.ring.fill(pastOf(ring, minute))
    } else jarvis.set(state)
    await clock.advance(minuteMs)
  }
  return lives.flatMap(({ sent }) =>
    sent.map(({ at, message: { title, body } }) => ({ at: Math.floor((at - start) / minuteMs), title, body })),
  )
}

/** The cluster's own records of the minutes before. */
const pastOf = (ring: Ring, until: number): Past[] =>
  Array.from({ length: until }, (_, minute) => ({
    minutes: [start + minute * minuteMs],
    samples: samplesOf(stateAt(ring, minute)),
  }))

const pve = 'node/pve temperatureC'
const hot = { fired: 'pve is at 81 °C.', ended: 'Resolved: pve is at 81 °C. 81 °C → 70 °C' }
const busy = { 'guest/* cpuRatio': '0.99' }

test.each<[string, Ring, [at: number, body: string][]]>([
  [
    'four quiet hours',
    { series: { [pve]: '50x40 78x60 60x140', 'node/pve2 ramRatio': '0.4x40 0.89x200' }, guests: 3, minutes: 240 },
    [],
  ],
  ['heat of four minutes', { series: { [pve]: '50x10 81x4 60x30' }, minutes: 40 }, []],
  [
    'heat of an hour, with two minutes that were not read, is one fire and one end',
    { series: { [pve]: '50x10 81x20 -x2 81x38 70x30' }, minutes: 100 },
    [
      [16, hot.fired],
      [71, hot.ended],
    ],
  ],
  [
    'a sensor that says nothing for half an hour holds, and ends nothing',
    { series: { [pve]: '50x10 81x20 -x30 81x5 70x30' }, minutes: 90 },
    [
      [16, hot.fired],
      [66, hot.ended],
    ],
  ],
  [
    'a value that moves within the hysteresis is one fire',
    { series: { [pve]: `50x10 81x6 ${'77x3 82x2 '.repeat(10)}70x20` }, minutes: 90 },
    [
      [16, hot.fired],
      [67, 'Resolved: pve is at 82 °C. 82 °C → 70 °C'],
    ],
  ],
  [
    'a restart of two minutes loses no time until it fires',
    { series: { [pve]: '50x10 81x30 70x20' }, off: [[12, 13]], minutes: 60 },
    [
      [16, hot.fired],
      [41, hot.ended],
    ],
  ],
  [
    'after a restart of half an hour it begins anew, where nobody knows what was',
    { series: { [pve]: '50x10 81x50 70x20' }, off: [[12, 41]], minutes: 80 },
    [
      [47, hot.fired],
      [61, hot.ended],
    ],
  ],
  [
    'after a restart of half an hour it fires at once, where the cluster remembers the heat',
    { series: { [pve]: '50x10 81x50 70x20' }, off: [[12, 41]], remembers: true, minutes: 80 },
    [
      [42, hot.fired],
      [61, hot.ended],
    ],
  ],
  [
    'a node that dies with 20 busy guests is one message, and one when it is back',
    { series: busy, guests: 20, dead: [5, 40], minutes: 45 },
    [
      [6, 'pve is offline.'],
      [41, 'Resolved: pve is offline. offline → online'],
    ],
  ],
  [
    'a node that dies while JARVIS restarts twice is told of once',
    {
      series: { [pve]: '50x60' },
      guests: 20,
      dead: [5, 40],
      minutes: 50,
      off: [
        [10, 12],
        [20, 38],
      ],
    },
    [
      [6, 'pve is offline.'],
      [41, 'Resolved: pve is offline. offline → online'],
    ],
  ],
])('%s', async (_what, ring, expected) => {
  const told = await replay(ring)
  expect(told.filter(({ body }) => !body.includes('of its CPU')).map(({ at, body }) => [at, body])).toEqual(expected)
})

test('a storage that crosses its limit each minute for an hour is told of until it comes and goes, which is said, and no more', async () => {
  const series = { 'storage/pve/local usedRatio': '0.9 0.5 '.repeat(30).trim() }
  const told = await replay({ series, minutes: 140 })
  expect(told.map(({ at, title }) => `${at} ${title}`)).toEqual([
    ...['0 Alert', '2 Resolved', '3 Alert', '4 Resolved', '5 Alert'],
    // It has been steady for an hour.
    '120 Resolved',
  ])
})
