import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Change, Page, Status } from 'protocol'
import { expect, test } from 'vitest'
import { folder } from './support/data-dir.ts'
import { createSkippingClock } from './support/fake-clock.ts'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const nineYearsMs = 9 * 365 * 86_400_000

const changesOf = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/changes')).json()) as Page<Change>).items
const clockOf = async (jarvis: TestJarvis) =>
  ((await (await jarvis.rest('/api/status')).json()) as Status).parts.find(({ name }) => name === 'Clock')

test('a clock that leaps nine years ahead and back deletes no change and no undo, over restarts too', async () => {
  const dataDir = folder()
  const clock = createSkippingClock()
  const start = (...turns: Parameters<typeof scripted>) => startJarvis({ dataDir, clock, model: scripted(...turns) })
  const first = await start(calls(['take_snapshot', { vmid: 101, name: 'before-leap' }]), says('Done.'))
  const screen = await first.connect()
  await screen.ask('chat:send', { message: 'Snapshot 101.' })
  await screen.next('chat:done')
  const before = await changesOf(first)
  expect(before).toMatchObject([{ toolName: 'take_snapshot', undo: { kind: 'call' } }])
  expect(await clockOf(first)).toBeUndefined()
  clock.skip(nineYearsMs)
  expect(await clockOf(first)).toMatchObject({
    health: 'warn',
    effect: expect.stringContaining('Nothing old is deleted'),
  })
  await first.stop()

  // Twice, so that the second start finds what the first one wrote in the years ahead.
  await (await start()).stop()
  const ahead = await start()
  expect(await clockOf(ahead)).toBeDefined()
  expect(await changesOf(ahead)).toEqual(before)
  await ahead.stop()

  clock.skip(-nineYearsMs)
  const after = await start()
  expect(await changesOf(after)).toEqual(before)
  expect(await clockOf(after)).toBeUndefined()
})

/**
 * What is deleted by time. `old`: kept for a time, deleted by `oldBefore`, which does not believe a leap. `ended`: a secret or an offer, which
 * counts no more once its end was reached (`time-floor.ts`). `ring`: while a leap is not
 * believed, nothing is added, so nothing is forgotten.
 */
const byTime: Record<string, 'old' | 'ended' | 'ring'> = {
  alerts: 'old',
  asked: 'old',
  attachments: 'old',
  changes: 'old',
  channel_heard: 'old',
  file_changes: 'old',
  kept_runs: 'old',
  oauth_clients: 'old',
  outbox: 'old',
  plans: 'old',
  replies: 'old',
  revoked_tokens: 'old',
  spendings: 'old',
  sample_series: 'ring',
  samples: 'ring',
  api_tokens: 'ended',
  channel_choices: 'ended',
  channel_nonces: 'ended',
  channel_pairings: 'ended',
  decision_challenges: 'ended',
  links: 'ended',
  oauth_secrets: 'ended',
  sign_ins: 'ended',
}

const sourceOf = (dir: string) => {
  const root = fileURLToPath(new URL(`../src/${dir}`, import.meta.url))
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('migrations/'))
    .map((name) => readFileSync(join(root, name), 'utf8'))
}

test('every row that is deleted by time is listed, with what it goes by', () => {
  const found = sourceOf('store').flatMap((text) =>
    [...text.matchAll(/DELETE FROM (\w+)\s+WHERE[^`]*?\b(?:\w*_at|at) <=? \?/g)].map(([, table = '']) => table),
  )
  expect([...new Set(found)].sort()).toEqual(Object.keys(byTime).sort())
})

test('nothing that is kept for days is counted back from the clock itself', () => {
  const counted = sourceOf('.').flatMap(
    (text) => text.match(/(?:prune\w*|forget\w*|deleteOld)\((?:\w+\.)*now\(\) - \w+/g) ?? [],
  )
  expect(counted).toEqual([])
})
