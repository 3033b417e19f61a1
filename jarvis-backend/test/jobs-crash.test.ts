import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job, JobSlot, Page } from 'protocol'
import { expect, test } from 'vitest'
import { killedHouse, type Life } from './support/killed-house.ts'

const { newDir, life, eachKill } = killedHouse('jobs')

const job = {
  name: 'notes',
  work: { kind: 'call', toolName: 'note_down', toolInput: {} },
  schedule: { kind: 'interval', minutes: 600 },
}
const cases: [dieAt: string, lines: number, states: JobSlot['state'][]][] = [
  ['insert job_slots written', 0, []],
  ['insert job_slots committed', 0, ['unknown']],
  ['insert runs written', 0, ['unknown']],
  ['insert runs committed', 1, ['done']],
  ['insert executions written', 1, ['done']],
  ['effect begun', 0, ['unknown']],
  ['effect done', 1, ['unknown']],
  ['insert journal result committed', 1, ['done']],
]

test('killed at any step, a slot starts once at most, and is not begun again', async () => {
  const first = await life({ dataDir: newDir() }, { points: cases.map(([dieAt]) => dieAt) })
  const { id } = await first.ask<Job>('jobs', job)
  const states = async (one: Life) => (await one.ask<Page<JobSlot>>(`jobs/${id}/slots`)).items.map(({ state }) => state)
  await first.ask(`jobs/${id}/run`, {})
  await expect.poll(() => states(first)).toEqual(['done'])
  await first.stop()

  await eachKill(cases, async (dieAt, lines, expected) => {
    const { dataDir } = first.at(dieAt)
    // A third start finds nothing left to begin.
    for (const _ of dieAt === 'insert runs committed' || dieAt === 'effect begun' ? [2, 3] : [2]) {
      const next = await life({ dataDir })
      await expect.poll(() => states(next)).toEqual(expected)
      expect(await next.ask('journal/verify')).toMatchObject({ ok: true })
      await next.stop()
    }
    const file = join(dataDir, 'lines')
    expect(existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0).toBe(lines)
  })
})
