import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../scripts/build.js'
import type { Job, JobSlot, Page } from '../src/protocol/index.ts'
import type { JobStart } from './crash/job-server.ts'
import { folder } from './support/data-dir.ts'
import { jwtSecret, tokenFor } from './support/start-jarvis.ts'

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

test.each<[dieAt: string, lines: number, states: JobSlot['state'][]]>([
  ['insert job_slots written', 0, []],
  ['insert job_slots committed', 0, ['unknown']],
  ['insert runs written', 0, ['unknown']],
  ['insert runs committed', 1, ['done']],
  ['insert executions written', 1, ['done']],
  ['effect begun', 0, ['unknown']],
  ['effect done', 1, ['unknown']],
  ['insert journal result committed', 1, ['done']],
])('killed at %s, a slot starts once at most, and is not begun again', async (dieAt, lines, states) => {
  const dataDir = folder()
  const first = await life({ dataDir, dieAt })
  const { id } = await first.ask<Job>('jobs', job)
  await first.ask(`jobs/${id}/run`, {}).catch(() => {})
  await first.ended

  // A third start finds nothing left to begin.
  for (const _ of [2, 3]) {
    const next = await life({ dataDir })
    const seen = async () => (await next.ask<Page<JobSlot>>(`jobs/${id}/slots`)).items.map(({ state }) => state)
    await expect.poll(seen).toEqual(states)
    expect(await next.ask('journal/verify')).toMatchObject({ ok: true })
    await next.kill()
  }
  const file = join(dataDir, 'lines')
  expect(existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0).toBe(lines)
})
