import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AlertsReply, PushMessage } from '../src/protocol/index.ts'
import { killedHouse } from './support/killed-house.ts'

const { newDir, life, killedLife } = killedHouse('alerts')

const device = {
  ...{ endpoint: 'https://push.example.org/a', label: 'phone' },
  keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) },
}
const lost = 'unknown whether it was told: JARVIS ended meanwhile'

test.each<[dieAt: string, isLost: boolean]>([
  ['insert alerts written', false],
  ['insert alerts committed', false],
  ['message begun', true],
  ['message sent', true],
])(
  'killed at %s, what fired stands, and nobody is told of it twice',
  async (dieAt, isLost) => {
    const dataDir = newDir({ allChecks: true })
    const file = join(dataDir, 'messages')
    const sent = (): PushMessage[] =>
      existsSync(file)
        ? readFileSync(file, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as PushMessage)
        : []
    const first = await killedLife({ dataDir, dieAt, skipMs: 0 })
    expect(await first.ask('push', device)).toMatchObject({ label: 'phone' })
    await first.go()
    await first.ended
    const before = sent()
    expect(before).toHaveLength(dieAt === 'message sent' ? 1 : 0)

    // A third life finds nothing left to tell.
    for (const skipMs of [10 * 60_000, 20 * 60_000]) {
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
      await expect.poll(async () => (await fired()).length, { timeout: 30_000 }).toBeGreaterThan(0)
      await expect.poll(untold, { timeout: 30_000 }).toEqual([])
      const all = await fired()
      expect(all.filter(({ told }) => told.filter(({ what }) => what === 'fired').length > 1)).toEqual([])
      expect(all.some(({ told }) => told.some(({ words }) => words === lost))).toBe(isLost)
      // Each sentence stands in one message at most, whoever sent it; the same one comes again under its tag, and replaces itself.
      const bodies = [...new Map(sent().map(({ tag, body }) => [tag, body])).values()]
      const twice = all.filter(({ sentence }) => bodies.filter((body) => body.includes(sentence)).length > 1)
      expect(twice.map(({ sentence }) => sentence)).toEqual([])
      expect(await next.ask('journal/verify')).toMatchObject({ ok: true })
      await next.stop()
    }
  },
  60_000,
)
