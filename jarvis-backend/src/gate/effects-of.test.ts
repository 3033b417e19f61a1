import type { Tier } from 'protocol'
import { expect, test } from 'vitest'
import { decide } from './decide.ts'
import { type Effect, Mistake, noTarget, type Touch } from './effect.ts'
import { effectsOf, remoteEffects, remoteTouches } from './effects-of.ts'
import { guestOf, nodeOf } from './lab.fixture.ts'
import { compilePolicy } from './policy/compile.ts'
import type { World } from './world.ts'

const world: World = {
  cluster: {
    nodes: [nodeOf('pve'), nodeOf('Home')],
    guests: [guestOf(104, { name: 'web' }), guestOf(105, { name: 'frigate' })],
  },
  policy: compilePolicy({ protectedTargets: new Set(['vm/105', 'node/home', 'storage/tank']) }),
  now: 0,
}

function verdictOf(tool: Parameters<typeof effectsOf>[0], input: Record<string, unknown>, toolName = 'made_up') {
  const { tier, rule } = decide({ toolName, baseTier: tool.tier, input }, effectsOf(tool, input, world), world)
  return `${tier} ${rule}`
}

const guest: Effect = { kind: 'data', on: 'guest', target: { kind: 'guest', id: 'vm/104', vmid: 104 } }
const declares = (tier: Tier, effects: unknown, touches: Touch[] = [{ kind: 'data', on: 'guest' }]) => ({
  tier,
  touches,
  effects: typeof effects === 'function' ? (effects as () => Effect[]) : () => effects as Effect[],
})
const fails = () => {
  throw new TypeError('x')
}
const read: Effect = { kind: 'read', on: 'site', target: noTarget }

test.each<[string, ReturnType<typeof declares>, Record<string, unknown>, string]>([
  ['an effect as declared', declares('yellow', [guest]), { vmid: 104 }, 'yellow base'],
  ['no effect', declares('yellow', []), {}, 'red unknown_effect'],
  ['no list of effects', declares('yellow', undefined), {}, 'red unknown_effect'],
  ['effects that cannot be computed', declares('yellow', fails), {}, 'red unknown_effect'],
  ['an effect that was not declared', declares('yellow', [guest], []), { vmid: 104 }, 'red unknown_effect'],
  ['a guest that no effect reaches', declares('yellow', [guest]), { vmid: 105 }, 'black protected_guest'],
  ['a node that no effect reaches', declares('yellow', [guest]), { node: 'pve' }, 'red unknown_effect'],
  ['a protected node that no effect reaches', declares('yellow', [guest]), { node: 'Home' }, 'black protected_node'],
  [
    'a protected storage that no effect reaches',
    declares('yellow', [guest]),
    { storage: 'tank' },
    'black protected_storage',
  ],
  ['a storage that no effect reaches', declares('yellow', [guest]), { storage: 'local' }, 'yellow base'],
  ['a reading tool that changes', declares('green', [guest]), { vmid: 104 }, 'red unknown_effect'],
  [
    'a changing tool that says it reads',
    declares('yellow', [read], [{ kind: 'read', on: 'site' }]),
    {},
    'red unknown_effect',
  ],
  ...(
    [
      ['no effect', 'yellow', []],
      ['effects that cannot be computed', 'red', fails],
      ['an effect that was not declared', 'yellow', [{ ...guest, kind: 'power' }]],
      ['a reading tool that changes', 'green', [guest]],
      ['a changing tool that says it reads', 'yellow', [read]],
    ] as const
  ).map(([name, tier, effects]): [string, ReturnType<typeof declares>, Record<string, unknown>, string] => [
    `${name}, on a protected guest`,
    declares(tier, effects),
    { vmid: 105 },
    'black protected_guest',
  ]),
  ['a target that was not found', declares('yellow', [{ ...guest, target: noTarget }]), {}, 'black unresolved_target'],
])('%s: %o %j is %s', (_name, tool, input, expected) => {
  expect(verdictOf(tool, input)).toBe(expected)
})

test('a mistake in the arguments is told, and judged by nobody', () => {
  const tool = declares('yellow', () => {
    throw new Mistake('vmid: there is no guest 9.')
  })
  expect(() => effectsOf(tool, {}, world)).toThrow('vmid: there is no guest 9.')
})

const attached = (tier: Tier) => ({
  tier,
  touches: remoteTouches,
  attached: true,
  effects: (input: Record<string, unknown>, now: World) =>
    remoteEffects({ toolName: 'mail__send', server: 'mail', hash: 'abc', tier }, input, now),
})

test.each<[Tier, Record<string, unknown>, string]>([
  ['yellow', { to: 'me@example.com' }, 'yellow base'],
  ['yellow', { vm: 104 }, 'red unknown_effect'],
  ['yellow', { vm: '104' }, 'red unknown_effect'],
  ['yellow', { target: 'vm/104' }, 'red unknown_effect'],
  ['yellow', { query: 'stop WEB, please' }, 'red unknown_effect'],
  ['yellow', { deep: { list: [{ host: 'pve' }] } }, 'red unknown_effect'],
  ['yellow', { limit: 104 }, 'yellow base'],
  ['yellow', { text: 'websites' }, 'yellow base'],
  ['yellow', { name: 'frigate' }, 'black protected_guest'],
  ['yellow', { text: 'uptime of HOME.' }, 'black protected_node'],
  ['red', { name: 'web' }, 'red attached'],
  ['red', { name: 'frigate' }, 'black protected_guest'],
  ['yellow', { volume: 'TANK:vm-104-disk-0' }, 'black protected_storage'],
  ['yellow', { path: 'storage/pve/tank' }, 'black protected_storage'],
  ['yellow', { text: 'a thank-you to the tanker' }, 'yellow base'],
  // The operator has said that it only reads.
  ['green', { name: 'frigate' }, 'green base'],
])('an attached tool that the operator calls %s, with %j: %s', (tier, input, expected) => {
  expect(verdictOf(attached(tier), input, 'mail__send')).toBe(expected)
})
