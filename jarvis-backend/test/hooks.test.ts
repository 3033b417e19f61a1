import type { ChecksReply } from 'protocol'
import { expect, test } from 'vitest'
import { Hints } from '../src/watch/hint.ts'
import { createFakeClock } from './support/fake-clock.ts'
import { startJarvis } from './support/start-jarvis.ts'

test('the webhook takes its own key alone, and lets the checks that a notification is about look at once', async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 23, 9))
  const jarvis = await startJarvis({ clock })
  const lookedAt = async (id: string) => {
    const { items } = (await (await jarvis.rest('/api/checks')).json()) as ChecksReply
    return items.find((check) => check.id === id)?.lastAt
  }
  await clock.advance(60_000)
  await expect.poll(() => lookedAt('updates')).toBeDefined()
  await clock.advance(5 * 60_000)
  const hint = (key: string | undefined, body = '{"type":"package-updates"}') =>
    fetch(`${jarvis.url}/api/hooks/pve`, {
      method: 'POST',
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      body,
    })
  expect((await hint(undefined)).status).toBe(401)
  expect((await jarvis.rest('/api/hooks', { method: 'POST', role: 'viewer' })).status).toBe(403)
  const made = (await (await jarvis.rest('/api/hooks', { method: 'POST' })).json()) as { key: string }
  const before = await lookedAt('disk-smart')
  expect((await hint(made.key)).status).toBe(202)
  await expect.poll(() => lookedAt('updates')).toBe(clock.now())
  expect(await lookedAt('disk-smart')).toBe(before)
  expect(await (await jarvis.rest('/api/hooks')).json()).toEqual({
    pve: { createdAt: clock.now(), lastUsedAt: clock.now() },
  })
  // It opens nothing else, and a session's token does not open it.
  expect((await fetch(`${jarvis.url}/api/alerts`, { headers: { authorization: `Bearer ${made.key}` } })).status).toBe(
    401,
  )
  expect((await hint(jarvis.token('operator'))).status).toBe(401)
  // Nothing of the body is taken for true: Proxmox escapes no line ends or quotes in a message of its own template.
  for (const body of [
    'not json',
    '',
    '{"message":"line 1\nERROR: "x""}',
    `{"message":"${'x'.repeat(3 * 2 ** 20)}"}`,
    '[]',
  ])
    expect([body.slice(0, 40), (await hint(made.key, body)).status]).toEqual([body.slice(0, 40), 202])

  const next = (await (await jarvis.rest('/api/hooks', { method: 'POST' })).json()) as { key: string }
  expect((await hint(made.key)).status).toBe(401)
  expect((await jarvis.rest('/api/hooks', { method: 'DELETE' })).status).toBe(204)
  expect((await hint(next.key)).status).toBe(401)
  expect((await jarvis.rest('/api/hooks', { method: 'DELETE' })).status).toBe(404)
  expect(await (await jarvis.rest('/api/hooks')).json()).toEqual({ pve: null })
})

test('hints within a minute are one, and an unknown kind is about everything', async () => {
  const clock = createFakeClock(0)
  const asked: (readonly string[])[] = []
  const checks = () => [{ id: 'a' }, { id: 'b' }] as never
  const hints = new Hints({ checks, clock, soon: (ids) => asked.push(ids) })
  hints.hear('replication')
  hints.hear('replication')
  hints.hear('constructor')
  expect(asked).toEqual([['replication']])
  await clock.advance(60_000)
  expect(asked).toEqual([['replication'], ['replication', 'a', 'b']])
  await clock.advance(120_000)
  expect(asked).toHaveLength(2)
})
