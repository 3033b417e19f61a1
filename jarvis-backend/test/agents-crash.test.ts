import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job, JobTrace, JournalEntry, Page, SessionSummary } from 'protocol'
import { expect, test } from 'vitest'
import { killedHouse } from './support/killed-house.ts'

/** An entry of the journal. */
type Entry = Omit<JournalEntry, 'body'> & { body: Record<string, unknown> }
const { newDir, life } = killedHouse('jobs')

const job = {
  name: 'notes',
  work: { kind: 'call', toolName: 'note_down', toolInput: {} },
  schedule: { kind: 'interval', minutes: 600 },
}
const yaml = 'agents:\n  night:\n    bindings: [{ door: job, job: notes }]\n'

/** A run in the name of the agent `night` that is killed as it begins. @returns the next life, and the run's trace once it has ended */
async function killed(between: (dataDir: string) => void) {
  const begun = 'insert runs committed'
  const start = { dataDir: newDir() }
  writeFileSync(join(start.dataDir, 'agents.yaml'), yaml)
  const first = await life(start, { points: [begun] })
  const { id } = await first.ask<Job>('jobs', job)
  await first.ask(`jobs/${id}/run`, {})
  await first.stop()
  const { dataDir } = first.at(begun)
  between(dataDir)
  const next = await life({ dataDir })
  const newest = async () => (await next.ask<Page<JobTrace>>(`jobs/${id}/slots`)).items[0]
  await expect.poll(async () => (await newest())?.state).not.toMatch(/running|waiting/)
  const sessions = await next.ask<Page<SessionSummary>>('sessions?source=job')
  const entries = (await next.ask<Page<Entry>>('journal?limit=100')).items
  return { dataDir, slot: await newest(), sessions: sessions.items, entries }
}

test('a killed run goes on as its agent', async () => {
  const { dataDir, slot, sessions, entries } = await killed(() => {})
  expect(sessions.map(({ agent }) => agent)).toEqual(['night'])
  expect(slot?.state).toBe('done')
  expect(existsSync(join(dataDir, 'lines'))).toBe(true)
  const begun = entries.filter(({ kind }) => kind === 'execution')
  expect(begun.map(({ body }) => body.requestedBy)).toEqual([expect.objectContaining({ agent: 'night' })])
})

test('where its agent is gone meanwhile it ends in clear words, and nothing runs as main', async () => {
  const { dataDir, slot, sessions, entries } = await killed((place) =>
    writeFileSync(join(place, 'agents.yaml'), 'agents: {}\n'),
  )
  expect(sessions.map(({ agent }) => agent)).toEqual(['night'])
  expect(slot?.state).not.toBe('done')
  expect(existsSync(join(dataDir, 'lines'))).toBe(false)
  const refused = entries.filter(({ kind }) => kind === 'refusal')
  expect(refused.map(({ body }) => body.rule)).toEqual(['agent_gone'])
})
