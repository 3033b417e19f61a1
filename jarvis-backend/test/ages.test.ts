import { expect, test } from 'vitest'
import { useJarvis } from './support/use-jarvis.ts'

const jarvis = useJarvis()

type Ages = { upMs: number; lists: Record<string, number> }
const told = async () => (await (await jarvis.connect('/events')).next('ages' as never)) as unknown as Ages

test('who connects hears how long ago each list changed, so that only what changed since is read again', async () => {
  const before = await told()
  expect(before.lists).not.toHaveProperty('settings')
  await jarvis.rest('/api/settings', { method: 'PUT', json: { profile: 'restricted' } })
  const after = await told()
  expect(after.lists.settings).toBeLessThanOrEqual(after.upMs - before.upMs)
})
