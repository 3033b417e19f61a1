import type { SamplesReply } from 'protocol'
import { expect, test } from 'vitest'
import { folder } from './support/data-dir.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { startProxmox } from './support/start-proxmox.ts'

const start = Date.UTC(2026, 0, 5, 12, 0, 30)
const minuteMs = 60_000

type Field = 'cpuRatio' | 'temperatureC' | 'usedRatio'

async function hourOf(jarvis: TestJarvis, series: string) {
  const reply = await jarvis.rest(`/api/samples?series=${series}&range=1h`, { role: 'viewer' })
  const { from, stepMs, items } = (await reply.json()) as SamplesReply
  return {
    from,
    stepMs,
    names: items.map(({ name }) => name),
    line: (index: number, field: Field) => items[index]?.values[field] ?? [],
    known: (index: number, field: Field) =>
      items[index]?.values[field]?.flatMap((value, at) => (value === null ? [] : [at])) ?? [],
  }
}
const fromTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

test('the cluster is sampled each minute; what is away leaves a gap', async () => {
  const clock = createFakeClock(start)
  const jarvis = await startJarvis({ clock })
  await clock.advance(2 * minuteMs)
  jarvis.controls.setNodeOffline('pve', true)
  await clock.advance(minuteMs)
  const { from, stepMs, names, known, line } = await hourOf(
    jarvis,
    'cluster,node/pve,guest/101,storage/tank-nfs,guest/9999',
  )
  expect({ from, stepMs }).toEqual({ from: Date.UTC(2026, 0, 5, 11, 4), stepMs: minuteMs })
  expect(names).toEqual(['cluster', 'node/pve', 'guest/101', 'storage/tank-nfs'])
  expect(known(0, 'cpuRatio')).toEqual(fromTo(0, 59))
  expect(known(1, 'temperatureC')).toEqual(fromTo(0, 58))
  expect(known(3, 'usedRatio')).toEqual(fromTo(0, 59))
  expect(line(1, 'temperatureC')[58]).toBeGreaterThan(20)
})

test('a new start shows the hour before it at once, a later one fills what was missed and changes nothing else', async () => {
  const clock = createFakeClock(start)
  const dataDir = folder()
  const first = await startJarvis({ clock, dataDir })
  const events = await first.connect('/events')
  await clock.advance(1_000)
  const isFilled = (change: unknown) => (change as { what: string }).what === 'samples'
  while (!isFilled(await events.next('changed' as never)));
  const before = await hourOf(first, 'cluster,guest/101,node/pve')
  expect(before.known(0, 'cpuRatio')).toEqual(fromTo(0, 59))
  expect(new Set(before.line(1, 'cpuRatio')).size).toBeGreaterThan(30)
  first.controls.setStatus(101, 'stopped')
  await clock.advance(5 * minuteMs)
  const left = await hourOf(first, 'cluster,guest/101,node/pve')
  await first.stop()

  await clock.advance(10 * minuteMs)
  const second = await startJarvis({ clock, dataDir })
  await clock.advance(1_000)
  const after = await hourOf(second, 'cluster,guest/101,node/pve')
  expect(after.known(0, 'cpuRatio')).toEqual(fromTo(0, 59))
  // It was stopped for the five minutes that JARVIS saw itself.
  expect(after.known(1, 'cpuRatio')).toEqual([...fromTo(0, 44), ...fromTo(50, 59)])
  expect(after.line(2, 'cpuRatio').slice(0, 50)).toEqual(left.line(2, 'cpuRatio').slice(10))

  await clock.advance(20_000)
  const day = (await (await second.rest('/api/samples?series=node/pve&range=24h')).json()) as SamplesReply
  const heat = day.items[0]?.values.temperatureC ?? []
  expect(heat.filter((value) => value === null)).toEqual([])
  // The GPU was lost in the night.
  expect([heat[0], heat.at(-1)].map((value) => Math.round((value ?? 0) / 10) * 10)).toEqual([60, 80])
})

test('a real cluster’s own record fills the hour before the first start', async () => {
  const { cluster, clock } = await startProxmox()
  const shell = { run: () => Promise.reject(new Error('no shell')) }
  const waker = { wake: () => Promise.reject(new Error('no waker')) }
  const jarvis = await startJarvis({ clock, remote: { api: cluster.api, cluster, shell, waker } })
  const count = async () => (await hourOf(jarvis, 'cluster')).known(0, 'cpuRatio').length
  await expect.poll(count).toBeGreaterThan(55)
  const { known, line } = await hourOf(jarvis, 'cluster,guest/200')
  expect(known(0, 'cpuRatio').length).toBeGreaterThan(55)
  expect(line(1, 'cpuRatio').map((value) => value?.toFixed(2))).toContain('0.10')
})

test.each([
  ['no series', '', 'series'],
  ['a series of no kind', '?series=pool/x', 'series'],
  ['a path of its own', '?series=node/a/b', 'series'],
  ['a range that is none', '?series=cluster&range=2h', 'range'],
  ['a key nobody knows', '?series=cluster&limit=2', 'limit'],
  ['too many at once', `?series=${Array.from({ length: 65 }, (_, at) => `guest/${at}`).join()}`, 'series'],
])('%s is refused', async (_name, query, field) => {
  const jarvis = await startJarvis()
  const reply = await jarvis.rest(`/api/samples${query}`)
  expect(reply.status).toBe(400)
  expect(((await reply.json()) as { error: { message: string } }).error.message).toContain(field)
})
