import { expect, test } from 'vitest'
import { createFakeClock, noon } from './support/fake-clock.ts'
import { createSimulator } from './support/simulator.ts'

test('on a machine that pauses for minutes a guest is still seen running, and a node online', async () => {
  const time = createFakeClock(noon())
  let pausedMs = 0
  const clock = {
    now: () => time.now() + pausedMs,
    after(ms: number, run: () => void) {
      return time.after(ms, () => {
        pausedMs += 5 * 60_000
        run()
      })
    },
  }
  const { cluster, waker } = createSimulator({ clock, protectedTargets: new Set() })
  const options = { signal: new AbortController().signal }
  const work = Promise.all([cluster.power({ vmid: 103, action: 'restart' }, options), waker.wake('agent', options)])
  await time.advance(60_000)
  expect(await work).toMatchObject([{ ok: true, observed: 'running' }, { cameOnline: true }])
  cluster.close()
})
