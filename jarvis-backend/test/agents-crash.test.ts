import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../scripts/build.js'
import type { Job, JobTrace, JournalEntry, Page, SessionSummary } from '../src/protocol/index.ts'
import type { JobStart } from './crash/job-server.ts'
import { folder } from './support/data-dir.ts'
import { jwtSecret, tokenFor } from './support/start-jarvis.ts'

/** An entry of the journal. */
type Entry = Omit<JournalEntry, 'body'> & { body: Record<string, unknown> }
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
let dir = ''
const alive = new Set<ChildProcess>()
beforeAll(async () => {
  dir = mkdtempSync(path('../.crash-'))
  await bundle({ server: path('crash/job-server.ts') }, dir)
})
afterAll(() => {
  for (const child of alive) child.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

async function life(start: Omit<JobStart, 'jwtSecret'>) {
  const child = spawn(process.execPath, [join(dir, 'server.js')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
  })
  alive.add(child)
  const ended = once(child, 'exit').then(() => alive.delete(child))
  await once(child, 'message')
  const listening = once(child, 'message')
  child.send({ ...start, jwtSecret })
  const [{ url }] = (await listening) as [{ url: string }]
  return {
    ended,
    async ask<T>(place: string, body?: object): Promise<T> {
      const response = await fetch(`${url}/api/${place}`, {
        headers: { authorization: `Bearer ${tokenFor('operator')}`, 'content-type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
      return (await response.json()) as T
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const job = {
  name: 'notes',
  work: { kind: 'call', toolName: 'note_down', toolInput: {} },
  schedule: { kind: 'interval', minutes: 600 },
}
const yaml = 'agents:\n  night:\n    bindings: [{ door: job, job: notes }]\n'

/** Kills a server at a point of a run in the name of the agent `night`. @returns the next life, and the run's trace once it has ended */
async function killedAt(dieAt: string, between: (dataDir: string) => void) {
  const dataDir = folder()
  writeFileSync(join(dataDir, 'agents.yaml'), yaml)
  const first = await life({ dataDir })
  const { id } = await first.ask<Job>('jobs', job)
  await first.kill()
  const second = await life({ dataDir, dieAt })
  await second.ask(`jobs/${id}/run`, {}).catch(() => {})
  await second.ended
  between(dataDir)
  const third = await life({ dataDir })
  const newest = async () => (await third.ask<Page<JobTrace>>(`jobs/${id}/slots`)).items[0]
  await expect.poll(async () => (await newest())?.state).not.toMatch(/running|waiting/)
  const sessions = await third.ask<Page<SessionSummary>>('sessions?source=job')
  const entries = (await third.ask<Page<Entry>>('journal?limit=100')).items
  return { third, dataDir, slot: await newest(), sessions: sessions.items, entries }
}

test('a killed run goes on as its agent', async () => {
  const { third, dataDir, slot, sessions, entries } = await killedAt('insert runs committed', () => {})
  expect(sessions.map(({ agent }) => agent)).toEqual(['night'])
  expect(slot?.state).toBe('done')
  expect(existsSync(join(dataDir, 'lines'))).toBe(true)
  const begun = entries.filter(({ kind }) => kind === 'execution')
  expect(begun.map(({ body }) => body.requestedBy)).toEqual([expect.objectContaining({ agent: 'night' })])
  await third.kill()
})

test('where its agent is gone meanwhile it ends in clear words, and nothing runs as main', async () => {
  const { third, dataDir, slot, sessions, entries } = await killedAt('insert runs committed', (place) =>
    writeFileSync(join(place, 'agents.yaml'), 'agents: {}\n'),
  )
  expect(sessions.map(({ agent }) => agent)).toEqual(['night'])
  expect(slot?.state).not.toBe('done')
  expect(existsSync(join(dataDir, 'lines'))).toBe(false)
  const refused = entries.filter(({ kind }) => kind === 'refusal')
  expect(refused.map(({ body }) => body.rule)).toEqual(['agent_gone'])
  await third.kill()
})
