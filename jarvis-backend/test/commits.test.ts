import { expect, test } from 'vitest'
import type { Database } from '../src/store/sqlite/database.ts'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { type CallOf, calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis } from './support/start-jarvis.ts'

/** Starts JARVIS with a model that makes these calls, each in a turn of its own. `since`: the commits after the start, by level. */
async function playing(...made: CallOf[]) {
  let database: Database | undefined
  const clock = createFakeClock(noon())
  const jarvis = await startJarvis({
    clock,
    model: scripted(...made.map((call) => calls(call)), says('Done.')),
    database(opened) {
      database = opened
      return opened
    },
  })
  const operator = await jarvis.connect()
  const before = database?.commits() ?? { full: 0, normal: 0 }
  const since = () => {
    const now = database?.commits() ?? before
    return { full: now.full - before.full, normal: now.normal - before.normal }
  }
  return { clock, operator, since }
}

test('a green round makes at most three commits, and none of them waits for the disk', async () => {
  const run = async (rounds: number) => {
    const { operator, since } = await playing(
      ...Array.from({ length: rounds }, (_, i): CallOf => ['get_recent_tasks', { limit: i + 1 }]),
    )
    await operator.ask('chat:send', { message: 'What has run?' })
    await operator.next('chat:done')
    return since()
  }
  const few = await run(2)
  const many = await run(12)
  expect([few.full, many.full]).toEqual([0, 0])
  // The reservation of the model's call, its reply, the call and its result, some of which share a commit: 24 in ten rounds.
  expect(many.normal - few.normal).toBeLessThanOrEqual(10 * 3)
})

test('a red call makes two commits that wait for the disk, and its decision is acknowledged before the call ends', async () => {
  const { clock, operator, since } = await playing(['stop_vm', { vmid: 103 }])
  const { sessionId } = await operator.ask('chat:send', { message: 'Stop 103.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  // The clock stands, so the guest does not stop.
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: true })
  expect(operator.names()).not.toContain('chat:tool_result')
  // The decision with the claim, and the number of the cluster's task.
  expect(since().full).toBeLessThanOrEqual(2)
  await clock.advance(10_000)
  await operator.next('chat:done')
  expect(since().full).toBe(2)
})
