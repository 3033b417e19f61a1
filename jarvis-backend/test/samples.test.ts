import { expect, test } from 'vitest'
import type { SamplesReply } from '../src/protocol/index.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { startJarvis } from './support/start-jarvis.ts'

const start = Date.UTC(2026, 0, 5, 12, 0, 30)
const minuteMs = 60_000

test('the cluster is sampled each minute; what is away leaves a gap', async () => {
  const clock = createFakeClock(start)
  const jarvis = await startJarvis({ clock })
  await clock.advance(2 * minuteMs)
  jarvis.controls.setNodeOffline('pve', true)
  await clock.advance(minuteMs)
  const reply = await jarvis.rest(
    '/api/samples?series=cluster,node/pve,guest/101,storage/tank-nfs,guest/9999&range=1h',
    {
      role: 'viewer',
    },
  )
  const { from, stepMs, items } = (await reply.json()) as SamplesReply
  expect({ from, stepMs }).toEqual({ from: Date.UTC(2026, 0, 5, 11, 4), stepMs: minuteMs })
  expect(items.map(({ name }) => name)).toEqual(['cluster', 'node/pve', 'guest/101', 'storage/tank-nfs'])
  const known = (index: number, field: 'cpuRatio' | 'temperatureC' | 'usedRatio') =>
    items[index]?.values[field]?.flatMap((value, at) => (value === null ? [] : [at]))
  expect(known(0, 'cpuRatio')).toEqual([57, 58, 59])
  expect(known(1, 'temperatureC')).toEqual([57, 58])
  expect(known(3, 'usedRatio')).toEqual([57, 58, 59])
  const heat = items[1]?.values.temperatureC?.[58]
  expect(heat).toBeGreaterThan(20)
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
