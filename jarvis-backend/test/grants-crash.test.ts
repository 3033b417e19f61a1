import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Grant, JournalEntry, Page } from 'protocol'
import { expect, test } from 'vitest'
import { rootFolder } from './support/data-dir.ts'
import { killedHouse, type Life } from './support/killed-house.ts'

const soon = { timeout: 60_000, interval: 50 }
const { newDir, life, eachKill } = killedHouse('jobs')

const write = (one: Life, sessionId: string, file: string) =>
  one.rest('POST', `sessions/${sessionId}/messages`, { message: `/write_file path=compose/a/${file} content=text` })
const leftIn = async (one: Life) =>
  (await one.rest<{ items: Grant[] }>('GET', 'grants')).items.map(({ usesLeft }) => usesLeft)
const usedIn = async (one: Life) =>
  (await one.rest<Page<JournalEntry>>('GET', 'journal?kind=grant')).items.filter(
    ({ body }) => (body as { change?: string }).change === 'used',
  ).length

const cases: [dieAt: string, goesOn: boolean][] = [
  ['update grants uses_left written', true],
  ['update grants uses_left committed', false],
]

test('killed as a grant is used, a call under a grant for a folder takes one use and no second one', async () => {
  const [dataDir, root] = [newDir(), rootFolder()]
  const second = join(root, 'a/two.txt')
  mkdirSync(join(root, 'a'))
  writeFileSync(join(dataDir, 'policy.yaml'), `workbench: {roots: [{name: compose, path: ${root}, write: true}]}\n`)
  const first = await life({ dataDir }, { points: cases.map(([dieAt]) => dieAt) })
  const { id } = await first.rest<{ id: string }>('POST', 'sessions', {})
  await write(first, id, 'one.txt')
  await expect.poll(async () => (await first.cards()).length, soon).toBe(1)
  const [card] = await first.cards()
  const grant = { minutes: 30, uses: 2, scope: card?.scope?.id }
  await first.rest('POST', `confirmations/${card?.toolUseId}`, { confirmed: true, grant })
  await expect.poll(() => existsSync(join(root, 'a/one.txt')), soon).toBe(true)
  await expect.poll(() => leftIn(first)).toEqual([2])
  await write(first, id, 'two.txt')
  await expect.poll(() => existsSync(second), soon).toBe(true)
  await first.stop()

  await eachKill(cases, async (dieAt, goesOn) => {
    rmSync(second)
    // The call goes on where nothing was committed; a claimed one never starts again.
    const next = await life({ dataDir: first.at(dieAt).dataDir })
    await expect.poll(() => leftIn(next), soon).toEqual([1])
    expect(await usedIn(next)).toBe(1)
    if (goesOn) await expect.poll(() => existsSync(second), soon).toBe(true)
    else expect(existsSync(second)).toBe(false)
    expect(await next.waiting()).toEqual([])
  })
})
