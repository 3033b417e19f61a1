import { expect, test } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

function limitAt(start: number) {
  let now = start
  const rates = new Map([
    [
      'stop_vm',
      [
        { calls: 2, perMs: 10_000 },
        { calls: 3, perMs: 60_000 },
      ],
    ],
  ])
  const limit = createRateLimit(
    () => rates,
    () => now,
  )
  return {
    take: (by = 'ses_1', tool = 'stop_vm') => limit.take(by, tool, false),
    wait(ms: number) {
      now += ms
    },
  }
}

test('so many calls in any span, for each session and tool, and it says when the next may be', () => {
  const { take, wait } = limitAt(1_000)
  expect(take()).toBeUndefined()
  wait(4_000)
  expect(take()).toBeUndefined()
  expect(take()).toBe('stop_vm may be called 2 times in 10 s here, and was. Call it again in 6 s. Nothing was run.')
  expect(take('ses_2')).toBeUndefined()
  expect(take('ses_1', 'get_vms')).toBeUndefined()
  wait(6_000)
  expect(take()).toBeUndefined()
})

test('all rates of a tool hold, and a refused call does not count', () => {
  const { take, wait } = limitAt(0)
  for (let call = 0; call < 3; call += 1) {
    expect(take()).toBeUndefined()
    wait(10_000)
  }
  expect(take()).toContain('3 times in 60 s')
  wait(30_000)
  expect(take()).toBeUndefined()
})
