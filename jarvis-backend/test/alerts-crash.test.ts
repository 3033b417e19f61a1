import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AlertsReply, PushMessage } from 'protocol'
import { expect, test } from 'vitest'
import { killedHouse } from './support/killed-house.ts'

const { newDir, life, eachKill } = killedHouse('alerts')

const device = {
  endpoint: 'https://push.example.org/a',
  label: 'phone',
  keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) },
}
const lost = 'unknown whether it was told: JARVIS ended meanwhile'

const sentIn = (dataDir: string): PushMessage[] => {
  const file = join(dataDir, 'messages')
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as PushMessage)
    : []
}
const cases: [dieAt: string, isLost: boolean, sent: number][] = [
  ['insert alerts written', false, 0],
  ['insert alerts committed', false, 0],
  ['message begun', true, 0],
  ['message sent', true, 1],
]

test('killed as an alert is told, what fired stands, and nobody is told of it twice', async () => {
  const start = { dataDir: newDir({ allChecks: true }), skipMs: 0 }
  const first = await life(start, { points: cases.map(([dieAt]) => dieAt) })
  expect(await first.ask('push', device)).toMatchObject({ label: 'phone' })
  first.go?.()
  await expect.poll(() => sentIn(start.dataDir).length).toBeGreaterThan(0)
  await first.stop()

  await eachKill(cases, async (dieAt, isLost, sent) => {
    const { dataDir } = first.at(dieAt)
    expect(sentIn(dataDir)).toHaveLength(sent)
    // A third life finds nothing left to tell.
    for (const skipMs of dieAt.startsWith('insert alerts') ? [10 * 60_000] : [10 * 60_000, 20 * 60_000]) {
      const next = await life({ dataDir, skipMs })
      next.go?.()
      const fired = async () =>
        (await next.ask<AlertsReply>('alerts')).items.filter(({ firedAt }) => firedAt !== undefined)
      const untold = async () =>
        (await fired()).filter(
          ({ severity, hiddenBy, told }) =>
            severity !== 'info' &&
            hiddenBy === undefined &&
            (told.length === 0 || told.some(({ words }) => words === 'being told')),
        )
      await expect.poll(async () => (await fired()).length).toBeGreaterThan(0)
      await expect.poll(untold).toEqual([])
      const all = await fired()
      expect(all.filter(({ told }) => told.filter(({ what }) => what === 'fired').length > 1)).toEqual([])
      expect(all.some(({ told }) => told.some(({ words }) => words === lost))).toBe(isLost)
      // Each sentence stands in one message at most, whoever sent it; the same one comes again under its tag, and replaces itself.
      const bodies = [...new Map(sentIn(dataDir).map(({ tag, body }) => [tag, body])).values()]
      const twice = all.filter(({ sentence }) => bodies.filter((body) => body.includes(sentence)).length > 1)
      expect(twice.map(({ sentence }) => sentence)).toEqual([])
      expect(await next.ask('journal/verify')).toMatchObject({ ok: true })
      await next.stop()
    }
  })
})
