import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usualLimits } from 'protocol'
import { expect, onTestFinished, test } from 'vitest'
import { startJarvis } from './support/start-jarvis.ts'

test('an operator sets what needs a look; it is kept, journalled, and counts for the model too', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'jarvis-test-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const jarvis = await startJarvis({ dataDir })
  const get = async (from: typeof jarvis) => (await from.rest('/api/limits', { role: 'viewer' })).json()
  expect(await get(jarvis)).toEqual(usualLimits)
  const events = await jarvis.connect('/events')
  const strict = { ...usualLimits, temperatureC: [45, 60] }
  const put = (json: unknown, role: 'operator' | 'viewer' = 'operator') =>
    jarvis.rest('/api/limits', { method: 'PUT', json, role })
  expect((await put(strict, 'viewer')).status).toBe(403)
  expect((await put({ ...strict, temperatureC: [60, 45] })).status).toBe(400)
  expect((await put({ ...strict, ramRatio: [90, 97] })).status).toBe(400)
  expect((await put({ ...strict, more: 1 })).status).toBe(400)
  expect(await (await put(strict)).json()).toEqual(strict)
  await expect.poll(() => events.received.some(({ payload }) => payload.what === 'limits')).toBe(true)

  const screen = await jarvis.connect()
  await screen.ask('chat:send', { message: '/get_cluster_status' })
  expect((await screen.next('chat:tool_result')).result).toContain('agent1 is at 47 °C')
  const journal = (await (await jarvis.rest('/api/journal?kind=settings')).json()) as { items: unknown[] }
  expect(journal.items).toMatchObject([{ body: { change: 'limits', by: 'operator', from: usualLimits, to: strict } }])
  await jarvis.stop()

  const again = await startJarvis({ dataDir })
  expect(await get(again)).toEqual(strict)
})
