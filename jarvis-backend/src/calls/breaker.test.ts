import { expect, test } from 'vitest'
import { CircuitBreaker } from './breaker.ts'

function breakerAt(start: number) {
  let now = start
  const limits = { failures: 3, withinMs: 60_000, pauseMs: 10_000 }
  const breaker = new CircuitBreaker(
    () => limits,
    () => now,
  )
  const run = (isFault: boolean | undefined, node = 'pve') => {
    breaker.began('get_vms', node)
    breaker.ended('get_vms', { node, isFault, error: 'No route.' })
  }
  return {
    breaker,
    run,
    wait(ms: number) {
      now += ms
    },
    refusal: (node = 'pve') => breaker.refusal('get_vms', node),
  }
}

test('a tool that fails three times in a row is left alone, on that node only, and tried again later', () => {
  const { run, wait, refusal, breaker } = breakerAt(0)
  run(true)
  run(true)
  expect(refusal()).toBeUndefined()
  run(true)
  expect(refusal()).toContain('get_vms on pve failed 3 times in a row, at last: No route.')
  expect(refusal()).toContain('tried again in 10 s')
  expect(refusal('agent')).toBeUndefined()
  expect(breaker.refusal('get_containers', 'pve')).toBeUndefined()
  wait(9_999)
  expect(refusal()).toContain('in 1 s')
  wait(1)
  expect(refusal()).toBeUndefined()
})

test('one call tries it; its failure pauses the tool again, its success ends the pause', () => {
  const { run, wait, refusal, breaker } = breakerAt(0)
  for (let round = 0; round < 3; round += 1) run(true)
  wait(10_000)
  breaker.began('get_vms', 'pve')
  expect(refusal()).toContain('One call tries it just now')
  breaker.ended('get_vms', { node: 'pve', isFault: true, error: 'No route.' })
  expect(refusal()).toContain('in 10 s')
  wait(10_000)
  run(false)
  expect(refusal()).toBeUndefined()
  run(true)
  expect(refusal()).toBeUndefined()
})

test('a success in between, old failures and what says nothing do not add up', () => {
  const { run, wait, refusal } = breakerAt(0)
  for (const isFault of [true, true, false, true, true]) run(isFault)
  expect(refusal()).toBeUndefined()
  wait(60_001)
  for (const isFault of [true, true, undefined, undefined]) run(isFault)
  expect(refusal()).toBeUndefined()
  run(true)
  expect(refusal()).toBeDefined()
})
