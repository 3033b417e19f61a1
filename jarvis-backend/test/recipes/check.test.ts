import { join } from 'node:path'
import { type ChecksReply, usualLimits } from 'protocol'
import { expect, test } from 'vitest'
import { makeChecks } from '../../src/watch/checks/index.ts'
import { createFakeClock, noon } from '../support/fake-clock.ts'
import { expectLine, expectShown } from '../support/recipe.ts'
import { startJarvis } from '../support/start-jarvis.ts'
import { quietState, startWatching, withNode } from '../support/watching.ts'
import { nodeLoad } from './node-load.ts'

const title = 'A check'
// The recipe's line: the list of the shipped checks, with the new one at its end.
const checks = [...makeChecks(), nodeLoad]

test('the recipe shows the file of the check, and the lines that add it', () => {
  expectShown(title, 'jarvis-backend/src/watch/checks/node-load.ts', join(import.meta.dirname, 'node-load.ts'))
  expectLine(title, 'nodeLoad,', 'jarvis-backend/src/watch/checks/index.ts')
  const row = `| \`${nodeLoad.id}\` | ${nodeLoad.title} | ${nodeLoad.limit(usualLimits)} | each minute |`
  expectLine(title, row, 'docs/checks.md')
})

test('the check of the recipe is listed with the others and looks at the cluster', async () => {
  const jarvis = await startJarvis({ checks, checksRun: true })
  const rowOf = async () => {
    const reply = (await (await jarvis.rest('/api/checks')).json()) as ChecksReply
    return reply.items.find(({ id }) => id === 'node-load')
  }
  await expect.poll(rowOf).toMatchObject({ title: 'Load of a node', lastAt: expect.any(Number) })
})

test('a node under load raises an alert after ten minutes, and the alert ends with the load', async () => {
  const clock = createFakeClock(noon())
  const house = startWatching({ clock, state: quietState(clock.now()), checks: [nodeLoad] })
  house.set(withNode('pve', { load1: 20 }))
  await clock.advance(9 * 60_000)
  expect(house.lines()).toEqual(['node-load node/pve pending'])
  await clock.advance(2 * 60_000)
  expect(house.lines()).toEqual(['node-load node/pve firing'])
  house.set(withNode('pve', { load1: 1 }))
  await clock.advance(60_000)
  expect(house.lines()).toEqual([])
})
