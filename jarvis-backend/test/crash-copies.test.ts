import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Job } from '../src/protocol/index.ts'
import { readDatabase } from './crash/evidence.ts'
import { killedHouse, type Life } from './support/killed-house.ts'

const { newDir, life, killedLife, eachKill } = killedHouse('jobs')

const job = {
  name: 'notes',
  work: { kind: 'call', toolName: 'note_down', toolInput: {} },
  schedule: { kind: 'interval', minutes: 600 },
}
const linesIn = (dataDir: string) => {
  const file = join(dataDir, 'lines')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0
}

/** The kinds of all that a call writes, without the ids and times in which two lives differ. */
function leftIn(dataDir: string) {
  const { entries, journal, executions, unfinishedRuns } = readDatabase(dataDir)
  return {
    entries: entries.map(({ type }) => type),
    journal: journal.map(({ kind }) => kind),
    executions: executions.map(({ settledAt }) => (settledAt === null ? 'begun' : 'settled')),
    unfinishedRuns: unfinishedRuns.length,
    lines: linesIn(dataDir),
  }
}

/** The work of one life. It may end before it answers. */
async function works(one: Life) {
  const { id } = await one.ask<Job>('jobs', job)
  await one.ask(`jobs/${id}/run`, {}).catch(() => undefined)
}

const points: [dieAt: string, executions: string[], lines: number][] = [
  // Inside the transaction of the claim.
  ['insert executions written', [], 0],
  ['insert journal execution committed', ['begun'], 0],
  ['effect done', ['begun'], 1],
]

test('a copy of a life at a point is what a SIGKILL there leaves', async () => {
  const first = await life({ dataDir: newDir() }, { points: points.map(([dieAt]) => dieAt) })
  await works(first)
  await eachKill(points, async (dieAt, executions, lines) => {
    const dataDir = newDir()
    const dying = await killedLife({ dataDir, dieAt })
    await works(dying)
    expect(await dying.ended).toBe('SIGKILL')
    expect(leftIn(dataDir)).toMatchObject({ executions, lines })
    expect(leftIn(first.at(dieAt).dataDir)).toEqual(leftIn(dataDir))
  })
})

test('a point that a life does not reach is no moment of it', async () => {
  const first = await life({ dataDir: newDir() }, { points: ['effect begun'] })
  expect(() => first.at('effect begun')).toThrow('The life reached "effect begun" 0 times, not 1.')
})
