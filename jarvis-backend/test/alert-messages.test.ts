import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClusterState } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { SqliteAlertStore } from '../src/store/sqlite/alerts.ts'
import { openDatabase } from '../src/store/sqlite/database.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { minuteMs, nodeLost, quietState, startWatching, withNode } from './support/watching.ts'

const start = Date.UTC(2026, 10, 23, 9)

function watching(guests = 0, more: Partial<Parameters<typeof startWatching>[0]> = {}) {
  const clock = more.clock ?? createFakeClock(start)
  return { clock, ...startWatching({ clock, state: quietState(clock.now(), guests), ...more }) }
}

test('a quiet cluster is looked at and nobody is told', async () => {
  const { clock, lines, sent, watch } = watching(20)
  await clock.advance(60 * minuteMs)
  expect([lines(), sent]).toEqual([[], []])
  expect(watch.checks().items.every(({ state }) => state === 'ok')).toBe(true)
})

const busyOn = (node: string) => (state: ClusterState) => ({
  guests: state.guests.map((guest) => (guest.node === node ? { ...guest, cpuRatio: 0.99 } : guest)),
})

test('a node that dies with 20 guests is one message, and its return another', async () => {
  const { clock, set, bodies, of, lines } = watching(20)
  set(busyOn('pve'))
  await clock.advance(5 * minuteMs)
  set(nodeLost('pve'))
  await clock.advance(9 * minuteMs)
  expect(bodies()).toEqual(['pve is offline.'])
  const back = quietState(clock.now(), 20)
  set(back)
  await clock.advance(5 * minuteMs)
  expect(bodies()).toEqual(['pve is offline.', 'Resolved: pve is offline. offline → online'])
  expect([of('node-away'), lines()]).toEqual([[], []])
})

test('a node that dies with the guest that serves a storage is one message, for the storage stands on it', async () => {
  const shared = { name: 'nas', type: 'nfs', content: ['images'], isActive: true, usedBytes: 1, totalBytes: 10 }
  const leaning = { guests: new Map(), servers: new Map([['nas', 'guest/200']]) }
  const { clock, set, bodies, of } = watching(20, { leaning })
  set(({ storages }) => ({ storages: [...storages, shared] }))
  await clock.advance(2 * minuteMs)
  set(nodeLost('pve2'))
  await clock.advance(10_000)
  set(({ storages }) => ({
    storages: storages.map((storage) => (storage.name === 'nas' ? { ...storage, isActive: false } : storage)),
  }))
  await clock.advance(10 * minuteMs)
  expect(bodies()).toEqual(['pve2 is offline.'])
  expect(of('storage-away')).toMatchObject([{ state: 'firing', hiddenBy: of('node-away')[0]?.id }])
})

test('what stands on a lost node hangs under it, is held, and is not told until the node is back', async () => {
  const { clock, set, bodies, of } = watching(20)
  set(busyOn('pve'))
  await clock.advance(12 * minuteMs)
  expect(bodies()).toHaveLength(1)
  set(nodeLost('pve'))
  await clock.advance(2 * minuteMs)
  const [away] = of('node-away')
  expect(away?.hides).toBe(20)
  expect(of('guest-cpu').filter(({ hiddenBy, state }) => hiddenBy === away?.id && state === 'held')).toHaveLength(20)
  expect(bodies().slice(1)).toEqual(['pve is offline. It explains 20 other alerts.'])
})

test('what fires within 30 s is one message; an alert is told of twice at most', async () => {
  const { clock, set, sent, of } = watching()
  set(withNode('pve', { temperatureC: 81 }))
  set(withNode('pve2', { temperatureC: 95 }))
  await clock.advance(6 * minuteMs)
  expect(sent.map(({ message }) => [message.title, message.body, message.hidden])).toEqual([
    ['2 alerts', 'pve2 is at 95 °C. pve is at 81 °C.', '2 alerts.'],
  ])
  for (const celsius of [92, 85, 78, 81]) {
    set(withNode('pve', { temperatureC: celsius }))
    await clock.advance(2 * minuteMs)
  }
  expect(of('node-heat').map(({ told }) => told.map(({ what, words }) => `${what}: ${words}`))).toEqual([
    ['fired: 1 device'],
    ['fired: 1 device'],
  ])
  set(withNode('pve', { temperatureC: 70 }))
  await clock.advance(2 * minuteMs)
  expect(sent.map(({ message }) => message.title)).toEqual(['2 alerts', 'Resolved'])
  expect(sent[1]?.message.body).toBe('Resolved: pve is at 81 °C. 81 °C → 70 °C')
})

test('an alert that ends before its message says that nobody was told', async () => {
  const { clock, set, sent, watch } = watching()
  set(withNode('pve', { status: 'offline' }))
  await clock.advance(40_000)
  set(withNode('pve', { status: 'online' }))
  await clock.advance(5 * minuteMs)
  expect(sent).toEqual([])
  const { items } = watch.history({ limit: 9 })
  expect(items.map(({ told }) => told[0]?.words)).toEqual(['nobody: it ended before anybody was told'])
})

test('an acknowledged alert is quiet until it passes the named value, and then says so once', async () => {
  const { clock, set, sent, of, watch } = watching()
  set(withNode('pve', { temperatureC: 81 }))
  await clock.advance(5 * minuteMs)
  const [hot] = of('node-heat')
  watch.acknowledge(hot?.id ?? '', { note: 'the fan is ordered', untilValue: 85 }, 'lena')
  await clock.advance(5 * minuteMs)
  expect([sent.length, of('node-heat')[0]?.told]).toEqual([
    0,
    [{ at: start + 5 * minuteMs, what: 'fired', words: 'nobody: acknowledged by lena' }],
  ])
  expect(of('node-heat')[0]?.acknowledged).toMatchObject({ by: 'lena', until: 'above 85', note: 'the fan is ordered' })
  set(withNode('pve', { temperatureC: 86 }))
  await clock.advance(2 * minuteMs)
  expect([sent.length, of('node-heat')[0]?.acknowledged]).toEqual([1, undefined])
})

test('an acknowledgement outlives a short end, and a new alert after a long one is news', async () => {
  const { clock, set, sent, of, watch } = watching()
  const away = () => set(withNode('pve', { status: 'offline' }))
  const back = () => set(withNode('pve', { status: 'online' }))
  away()
  await clock.advance(2 * minuteMs)
  watch.acknowledge(of('node-away')[0]?.id ?? '', {}, 'lena')
  back()
  await clock.advance(2 * minuteMs)
  away()
  await clock.advance(2 * minuteMs)
  expect([sent.length, of('node-away')[0]?.acknowledged?.by]).toEqual([2, 'lena'])
  back()
  await clock.advance(20 * minuteMs)
  away()
  await clock.advance(2 * minuteMs)
  expect([sent.length, of('node-away')[0]?.acknowledged]).toEqual([3, undefined])
})

test.each([
  ['a window for the node', (house: ReturnType<typeof watching>) => void house.addWindow(window(house, ['node/pve']))],
  ['a window for all', (house: ReturnType<typeof watching>) => void house.addWindow(window(house, ['*']))],
  [
    'a silence',
    (house: ReturnType<typeof watching>) => {
      const until = house.clock.now() + 30 * minuteMs
      house.watch.silence(house.of('node-heat')[0]?.id ?? '', { until, note: 'painting' }, 'lena')
    },
  ],
])('%s holds the message back, and it is told once it is over', async (_name, hush) => {
  const house = watching()
  house.set(withNode('pve', { temperatureC: 81 }))
  await house.clock.advance(2 * minuteMs)
  hush(house)
  await house.clock.advance(20 * minuteMs)
  expect(house.of('node-heat')[0]).toMatchObject({ state: 'firing', silenced: { by: 'lena' } })
  expect(house.sent).toEqual([])
  await house.clock.advance(15 * minuteMs)
  expect([house.bodies(), house.of('node-heat')[0]?.silenced]).toEqual([['pve is at 81 °C.'], undefined])
})
const window = ({ clock }: ReturnType<typeof watching>, objects: string[]) => ({
  objects,
  from: clock.now(),
  until: clock.now() + 30 * minuteMs,
})

test('what comes and goes is damped: it stays, and nobody is told until it was steady for an hour', async () => {
  const { clock, set, sent, of, lines } = watching()
  const full = (isFull: boolean) =>
    set((state) => ({ storages: state.storages.map((storage) => ({ ...storage, usedBytes: isFull ? 9 : 5 })) }))
  for (let minute = 0; minute < 12; minute += 1) {
    full(minute % 2 === 0)
    await clock.advance(minuteMs)
  }
  const [flapping] = of('storage-full')
  expect(flapping?.flapping?.changes).toBeGreaterThanOrEqual(5)
  const soFar = sent.length
  expect(soFar).toBeLessThanOrEqual(5)
  expect(sent.at(-1)?.message.body).toContain('It comes and goes: 5 changes lately.')
  full(false)
  await clock.advance(90 * minuteMs)
  expect(lines()).toEqual([])
  expect(sent.length - soFar).toBeLessThanOrEqual(1)
})

test('what comes and goes each five minutes for an hour is told of five times, the last time as what comes and goes', async () => {
  const { clock, set, bodies } = watching()
  const full = (isFull: boolean) =>
    set((state) => ({ storages: state.storages.map((storage) => ({ ...storage, usedBytes: isFull ? 9 : 5 })) }))
  for (let turn = 0; turn < 24; turn += 1) {
    full(turn % 2 === 0)
    await clock.advance(2.5 * minuteMs)
  }
  expect(bodies()).toHaveLength(5)
  expect(bodies().at(-1)).toContain('It comes and goes')
})

/** A folder that ends with the test. */
function folder() {
  const dir = mkdtempSync(join(tmpdir(), 'jarvis-alerts-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
/** The files as a kill would leave them now. */
function killed(from: string) {
  const to = folder()
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(to, name))
  return join(to, 'jarvis.db')
}

test('the time until an alert fires goes on over a restart, and begins anew after a long gap', async () => {
  const dir = folder()
  const first = watching(0, { path: join(dir, 'jarvis.db') })
  first.set(withNode('pve', { temperatureC: 81 }))
  await first.clock.advance(3 * minuteMs)
  const since = first.of('node-heat')[0]?.since
  const path = killed(dir)
  const hot = { ...quietState(start), ...withNode('pve', { temperatureC: 81 })(quietState(start)) }

  const later = (ms: number) => {
    const clock = createFakeClock(first.clock.now() + ms)
    return { clock, ...startWatching({ clock, state: hot, path: killed(join(path, '..')) }) }
  }
  const soon = later(minuteMs)
  await soon.clock.advance(minuteMs)
  expect(soon.of('node-heat')[0]).toMatchObject({ state: 'firing', since })
  const late = later(60 * minuteMs)
  await late.clock.advance(minuteMs)
  expect(late.of('node-heat')[0]).toMatchObject({ state: 'pending', since: start + 63 * minuteMs })
})

test('after a restart an alert is held until its list is read, goes on with its time, and nobody is told that it ended', async () => {
  const dir = folder()
  const bad = (state: ClusterState) => ({
    guests: state.guests.map((guest, at) => ({
      ...guest,
      ...(at === 0 ? { type: 'ct' as const, diskBytes: 95, diskTotalBytes: 100 } : at === 1 && { lock: 'backup' }),
    })),
  })
  const first = watching(2, { path: join(dir, 'jarvis.db') })
  first.set(bad)
  await first.clock.advance(50 * minuteMs)
  const before = { disk: first.of('guest-disk')[0], lock: first.of('stale-lock')[0] }
  expect([before.disk?.state, before.lock?.state]).toEqual(['firing', 'pending'])

  const clock = createFakeClock(first.clock.now() + minuteMs)
  const read = { ...quietState(start, 2), ...bad(quietState(start, 2)) }
  const unread: ClusterState = {
    ...read,
    nodes: [],
    guests: [],
    storages: [],
    tasks: [],
    isQuorate: null,
    missing: ['the cluster has not been read yet'],
    unread: ['nodes', 'guests', 'storages', 'tasks'],
  }
  const second = startWatching({ clock, state: unread, path: killed(dir) })
  await clock.advance(2 * minuteMs)
  expect(second.of('guest-disk')).toMatchObject([{ id: before.disk?.id, state: 'held' }])
  expect(second.of('stale-lock')).toMatchObject([{ id: before.lock?.id, since: before.lock?.since }])
  second.set(() => ({ ...read, unread: undefined }) as Partial<ClusterState>)
  await clock.advance(10 * minuteMs)
  expect(second.of('guest-disk')).toMatchObject([{ id: before.disk?.id, state: 'firing' }])
  expect(second.of('stale-lock')).toMatchObject([{ id: before.lock?.id, state: 'firing' }])
  expect(second.bodies().some((body) => body.includes('Resolved'))).toBe(false)
})

test.each([
  ['before the message', 10_000, 1, 'fired: 1 device'],
  ['while the message is sent', 40_000, 0, 'fired: unknown whether it was told: JARVIS ended meanwhile'],
])('a kill %s tells nobody twice', async (_name, afterMs, messages, words) => {
  const dir = folder()
  const first = watching(0, { path: join(dir, 'jarvis.db'), send: () => new Promise(() => {}) })
  first.set(withNode('pve', { status: 'offline' }))
  await first.clock.advance(31_000 + afterMs)
  expect(first.sent).toHaveLength(1 - messages)
  const path = killed(dir)
  const lost = { ...quietState(start), ...withNode('pve', { status: 'offline' })(quietState(start)) }
  const clock = createFakeClock(first.clock.now() + 1_000)
  const second = startWatching({ clock, state: lost, path })
  await clock.advance(5 * minuteMs)
  expect(second.sent).toHaveLength(messages)
  expect(second.of('node-away')[0]?.told.map((told) => `${told.what}: ${told.words}`)).toEqual([words])
})

test('a silence without an end holds over ends, restarts and pruning, is listed all the while, and is ended by hand', async () => {
  const path = join(folder(), 'jarvis.db')
  const first = watching(0, { path })
  first.set(withNode('pve', { temperatureC: 81 }))
  await first.clock.advance(2 * minuteMs)
  first.watch.silence(first.of('node-heat')[0]?.id ?? '', { note: 'a hot room' }, 'lena')
  expect(first.of('node-heat')[0]?.silenced).toEqual({ by: 'lena', note: 'a hot room' })
  await first.clock.advance(20 * minuteMs)
  first.set(withNode('pve', { temperatureC: 40 }))
  await first.clock.advance(20 * minuteMs)
  const listed = { check: 'node-heat', object: 'node/pve', by: 'lena', note: 'a hot room' }
  expect(first.watch.list()).toMatchObject({ items: [], silences: [{ ...listed, hasEnded: true }] })
  first.stop()

  const clock = createFakeClock(first.clock.now() + 400 * 24 * 60 * minuteMs)
  const database = openDatabase(path)
  new SqliteAlertStore(database).prune(clock.now())
  database.close()
  const second = startWatching({
    clock,
    state: { ...quietState(start), ...withNode('pve', { temperatureC: 81 })(quietState(start)) },
    path,
  })
  await clock.advance(20 * minuteMs)
  expect(second.of('node-heat')[0]).toMatchObject({ state: 'firing', silenced: { by: 'lena' } })
  const { silences } = second.watch.list()
  expect([second.sent, silences]).toMatchObject([[], [{ ...listed, hasEnded: false }]])
  second.watch.unsilence(silences[0]?.alert ?? '', 'lena')
  await clock.advance(2 * minuteMs)
  expect([second.bodies(), second.watch.list().silences]).toEqual([['pve is at 81 °C.'], []])
})

test('at another cluster, what was said of alerts that ended, and what was to be told of them, is over', async () => {
  const dir = folder()
  const { clock, set, of, watch, leave, stop } = watching(0, { path: join(dir, 'jarvis.db') })
  set((state) => ({ nodes: state.nodes.map((node) => ({ ...node, status: 'offline' as const })) }))
  await clock.advance(2 * minuteMs)
  const [silenced, acknowledged] = of('node-away')
  watch.silence(silenced?.id ?? '', { until: clock.now() + 600 * minuteMs, note: 'a move' }, 'lena')
  watch.acknowledge(acknowledged?.id ?? '', {}, 'lena')
  set(withNode(silenced?.object.name ?? '', { status: 'online' }))
  await clock.advance(minuteMs)
  leave('Another cluster is connected.')
  stop()
  const later = createFakeClock(clock.now() + minuteMs)
  const lost = quietState(start)
  const state = { ...lost, nodes: lost.nodes.map((node) => ({ ...node, status: 'offline' as const })) }
  const next = startWatching({ clock: later, state, path: join(dir, 'jarvis.db') })
  await later.advance(3 * minuteMs)
  expect(next.bodies()).toEqual([expect.stringMatching(/^pve.* is offline\. pve.* is offline\.$/)])
  expect(next.of('node-away').map((alert) => [alert.silenced, alert.acknowledged])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ])
})
