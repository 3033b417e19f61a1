import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Job, JobSlot, Page } from '../src/protocol/index.ts'
import { killedHouse } from './support/killed-house.ts'

const { newDir, life, killedLife } = killedHouse('jobs')

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
  const dataDir = newDir()
  const first = await killedLife({ dataDir, dieAt })
  const { id } = await first.ask<Job>('jobs', job)
  await first.ask(`jobs/${id}/run`, {}).catch(() => {})
  await first.ended

  // A third start finds nothing left to begin.
  for (const _ of [2, 3]) {
    const next = await life({ dataDir })
    const seen = async () => (await next.ask<Page<JobSlot>>(`jobs/${id}/slots`)).items.map(({ state }) => state)
    await expect.poll(seen).toEqual(states)
    expect(await next.ask('journal/verify')).toMatchObject({ ok: true })
    await next.stop()
  }
  const file = join(dataDir, 'lines')
  expect(existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0).toBe(lines)
})
