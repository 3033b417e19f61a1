import type { Principal } from 'protocol'
import { expect, test } from 'vitest'
import { RateLimit } from './rate-limit.ts'

const person: Principal = { kind: 'chat', name: 'demo' }
const client = (token?: string): Principal => ({
  kind: 'mcp',
  name: 'probe',
  ...(token !== undefined && { token }),
})

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
  const limit = new RateLimit(
    () => rates,
    () => now,
  )
  return {
    take: (sessionId = 'ses_1', tool = 'stop_vm', principal: Principal = person) =>
      limit.take({ principal, sessionId }, tool, false),
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

test.each<[string, [string, Principal], [string, Principal], boolean]>([
  ['a token in two sessions', ['ses_1', client('laptop')], ['ses_2', client('laptop')], true],
  ['two tokens', ['ses_1', client('laptop')], ['ses_1', client('desktop')], false],
  ['a client and a person in its session', ['ses_1', client('laptop')], ['ses_1', person], false],
  ['a token that is called as a session', ['ses_1', client('ses_2')], ['ses_2', person], false],
  ['a client of no known token in a session', ['ses_1', client()], ['ses_1', client()], true],
  ['a client of no known token in two sessions', ['ses_1', client()], ['ses_2', client()], false],
  [
    'a person who types the call, after the model',
    ['ses_1', person],
    ['ses_1', { kind: 'command', name: 'ana' }],
    true,
  ],
  ['a person in two sessions', ['ses_1', person], ['ses_2', person], false],
])('%s: counted together or apart', (_, [first, asker], [second, other], isShared) => {
  const { take } = limitAt(0)
  for (let call = 0; call < 2; call += 1) expect(take(first, 'stop_vm', asker)).toBeUndefined()
  expect(take(second, 'stop_vm', other) !== undefined).toBe(isShared)
})
