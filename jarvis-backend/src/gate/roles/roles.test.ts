import { type Approve, type ClusterState, profileNames } from 'protocol'
import { expect, test } from 'vitest'
import { resolve } from '../../../test/support/effects.ts'
import { houseFacts } from '../../tools/house.ts'
import { decide } from '../decide.ts'
import { guestOf, nodeOf, runningUnits } from '../lab.fixture.ts'
import { compilePolicy } from '../policy/compile.ts'
import { parsePolicy } from '../policy/parse.ts'
import { policyLines } from '../policy/print.ts'
import { summaryOf } from '../policy/summary.ts'
import type { World } from '../world.ts'
import { type Approver, both, unmet } from './approve.ts'
import { beyondRole, builtInRoles, notYoursReason } from './role.ts'
import { seenBy } from './view.ts'

const nodes = ['pve', 'Home'].map((name) => nodeOf(name))
const guests = [
  guestOf(105, { tags: ['Prod'], pool: 'kids' }),
  guestOf(106, { node: 'Home' }),
  guestOf(130, { type: 'ct', node: 'Home', tags: ['games'] }),
]
/** A Saturday, 23:30 in Amsterdam. */
const saturdayNight = Date.UTC(2026, 10, 21, 22, 30)
const fileOf = (yaml: string) => {
  const parsed = parsePolicy(yaml, houseFacts)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('\n'))
  return parsed.file
}
function worldOf(yaml: string, profile: (typeof profileNames)[number] = 'balanced', now = saturdayNight): World {
  return {
    cluster: { nodes, guests },
    now,
    unitOf: runningUnits,
    policy: compilePolicy({ file: fileOf(yaml), profile }),
  }
}
const withScope = (scope: string) => `timezone: Europe/Amsterdam\nroles: {own: [${scope}]}`

/** The first effect that the role `own` may not have; `mine` where there is none. */
function beyond(world: World, toolName: string, input: Record<string, unknown>): string {
  const role = world.policy.roles.get('own')
  const found = resolve(toolName, input, world)
  if (role === undefined || !found.ok) throw new Error('The table is wrong.')
  const baseTier = houseFacts.get(toolName)?.tier ?? 'red'
  const call = { toolName, baseTier, input }
  const { tier } = decide(call, found.effects, world)
  const effect = beyondRole(role, { call, effects: found.effects, tier }, world)
  return effect === undefined ? 'mine' : 'not mine'
}

const on130 = '{may: restart, on: ct/130}'
test.each<[string, string, Record<string, unknown>, 'mine' | 'not mine']>([
  [on130, 'restart_container', { vmid: 130 }, 'mine'],
  [on130, 'stop_container', { vmid: 130 }, 'not mine'],
  [on130, 'restart_vm', { vmid: 105 }, 'not mine'],
  [on130, 'get_cluster_status', {}, 'not mine'],
  [on130, 'get_node_status', { node: 'Home' }, 'not mine'],
  [on130, 'execute_ssh', { node: 'Home', command: 'pct reboot 130' }, 'not mine'],
  [on130, 'take_snapshot', { vmid: 130 }, 'not mine'],
  // A guest is known by its number, whatever the file calls its kind.
  ['{may: restart, on: vm/130}', 'restart_container', { vmid: 130 }, 'mine'],
  ['{may: [start, stop], on: ct/130}', 'stop_container', { vmid: 130 }, 'mine'],
  ['{may: power, on: tag:GAMES}', 'stop_container', { vmid: 130 }, 'mine'],
  ['{may: power, on: tag:games}', 'stop_vm', { vmid: 105 }, 'not mine'],
  ['{may: power, on: pool:kids}', 'stop_vm', { vmid: 105 }, 'mine'],
  ['{may: power, on: pool:Kids}', 'stop_vm', { vmid: 105 }, 'not mine'],
  ['{may: power, on: pool:kids}', 'stop_vm', { vmid: 106 }, 'not mine'],
  // A node is itself, its services and storages, and none of its guests.
  ['{tiers: [green, yellow, red], on: node/home}', 'stop_vm', { vmid: 106 }, 'not mine'],
  ['{tiers: [green, yellow, red], on: node/home}', 'restart_service', { node: 'Home', service: 'nginx' }, 'mine'],
  ['{may: read, on: node/home}', 'get_node_status', { node: 'Home' }, 'mine'],
  ['{may: read, on: node/home}', 'execute_ssh', { node: 'Home', command: 'df' }, 'not mine'],
  // Every effect must be covered: a node's restart is one of its guests too.
  ['{may: restart, on: node/home}', 'reboot_node', { node: 'Home' }, 'not mine'],
  ['{may: restart, on: [node/home, vm/106, ct/130]}', 'reboot_node', { node: 'Home' }, 'mine'],
  ['{tools: take_snapshot, on: ct/130}', 'take_snapshot', { vmid: 130 }, 'mine'],
  ['{tools: take_snapshot, may: restart, on: ct/130}', 'take_snapshot', { vmid: 130 }, 'not mine'],
  ['{tiers: [green, yellow], on: ct/130}', 'take_snapshot', { vmid: 130 }, 'mine'],
  ['{tiers: [green, yellow], on: ct/130}', 'stop_container', { vmid: 130 }, 'not mine'],
  // Two scopes may cover a call together.
  ['{may: restart, on: node/home}, {may: restart, on: [vm/106, ct/130]}', 'reboot_node', { node: 'Home' }, 'mine'],
  // Hours and days bound reads as well.
  ['{may: restart, on: ct/130, hours: 22:00-07:00}', 'restart_container', { vmid: 130 }, 'mine'],
  ['{may: restart, on: ct/130, hours: 08:00-22:00}', 'restart_container', { vmid: 130 }, 'not mine'],
  ['{may: restart, on: ct/130, days: [mon]}', 'restart_container', { vmid: 130 }, 'not mine'],
  ['{may: read, on: all}', 'get_cluster_status', {}, 'mine'],
  ['{may: restart, on: all}', 'get_cluster_status', {}, 'not mine'],
  ['{may: read, on: all}', 'memory_write', { name: 'a.md', text: 'x' }, 'not mine'],
])('as %s, %s %j is %s', (scope, tool, input, expected) => {
  expect(beyond(worldOf(withScope(scope)), tool, input)).toBe(expected)
})

test('no profile and no allow widens a scope by tiers', () => {
  const yaml = `${withScope('{tiers: [green, yellow], on: ct/130}')}\nallow: [{tool: stop_container, target: ct/130, because: x}]`
  for (const profile of profileNames)
    expect(beyond(worldOf(yaml, profile), 'stop_container', { vmid: 130 })).toBe('not mine')
})

test('a tag or pool that is not known covers nothing', () => {
  const world = worldOf(withScope('{may: power, on: [tag:games, pool:kids]}'))
  const blind = {
    ...world,
    cluster: { nodes, guests: guests.map(({ pool: _, ...guest }) => ({ ...guest, tags: [] })) },
  }
  expect(beyond(blind, 'stop_container', { vmid: 130 })).toBe('not mine')
  expect(beyond(blind, 'stop_vm', { vmid: 105 })).toBe('not mine')
})

test('the roles that are always there are scopes too', () => {
  expect(Object.keys(builtInRoles)).toEqual(['owner', 'operator', 'viewer'])
  const { policy } = worldOf('')
  expect(policy.roles.get('owner')).toMatchObject({ isWhole: true })
  expect(policy.roles.get('viewer')).toMatchObject({ isWhole: false, sentences: ['May look at everything.'] })
})

test.each([
  [on130, 'May restart ct/130.'],
  [
    '{may: [restart, start], on: tag:family, hours: 08:00-22:00}',
    'May restart or start guests tagged family from 08:00 to 22:00.',
  ],
  [
    '{tools: [take_snapshot], on: [vm/110, pool:kids]}',
    'May use tools on vm/110 or guests of the pool kids with take_snapshot.',
  ],
  [
    '{tiers: [green, yellow], on: node/pve, days: [sat, sun]}',
    'May use tools on node/pve, where the call is green or yellow on sat or sun.',
  ],
])('%s reads as one sentence', (scope, sentence) => {
  expect(worldOf(withScope(scope)).policy.roles.get('own')?.sentences).toEqual([sentence])
})

test('a refusal says what the role may, and nothing of the thing', () => {
  const own = worldOf(withScope([on130, on130, on130, on130].join(', '))).policy.roles.get('own')
  expect(own && notYoursReason(own)).toBe(
    'This is not yours. Your role own: May restart ct/130. May restart ct/130. May restart ct/130. And 1 more.',
  )
})

test.each([
  ['roles: {owner: [{may: read, on: all}]}', 'is a name that JARVIS uses itself'],
  ['roles: {Kids: [{may: read, on: all}]}', 'must be a short name in lower case'],
  ['roles: {kids: []}', 'must have at least one scope'],
  ['roles: {kids: [{on: all}]}', 'does not say what may be done: give may, tools or tiers'],
  ['roles: {kids: [{may: restart}]}', 'roles.kids[1].on'],
  ['roles: {kids: [{may: reboot, on: all}]}', 'must be of start, stop, restart'],
  ['roles: {kids: [{may: restart, on: service/nginx}]}', 'must be all, vm/ID, ct/ID, node/NAME, tag:NAME or pool:NAME'],
  ['roles: {kids: [{tools: reboot, on: all}]}', 'there is no reboot'],
  ['roles: {kids: [{tools: [restart_vm], on: ct/130}]}', 'works on vm/ID and not on ct/130'],
  ['roles: {kids: [{tiers: black, on: all}]}', 'must be of green, yellow, red'],
  ['roles: {kids: [{may: read, on: all, user: ann}]}', 'is not known here'],
  [
    'rules: [{name: a, tools: [take_snapshot], tier: yellow, because: x, approve: {count: 2}}]',
    'only a rule of tier red asks',
  ],
  ['rules: [{name: a, tools: [stop_vm], tier: red, because: x, approve: {count: 9}}]', 'must be 5 or less'],
  [
    'rules: [{name: a, tools: [stop_vm], tier: red, because: x, approve: {by: [kids]}}]',
    'names kids, which may approve nothing or is no role',
  ],
])('%s is refused: %s', (yaml, message) => {
  const parsed = parsePolicy(yaml, houseFacts)
  expect(parsed.ok ? '' : parsed.problems.map((problem) => problem.message).join('\n')).toContain(message)
})

const approving = (approve: string, more = '') =>
  `rules: [{name: two, tools: [stop_vm], tier: red, because: Two., approve: ${approve}}${more}]`
const stopping = (world: World) => {
  const found = resolve('stop_vm', { vmid: 105 }, world)
  if (!found.ok) throw new Error(found.message)
  return decide({ toolName: 'stop_vm', baseTier: 'red', input: { vmid: 105 } }, found.effects, world)
}

test('a rule says who approves, in every profile but those that refuse', () => {
  const yaml = approving('{count: 2, by: owner}')
  for (const profile of profileNames) {
    const { tier, approve } = stopping(worldOf(yaml, profile))
    expect([profile, tier, approve]).toEqual(
      profile === 'lockdown'
        ? ['lockdown', 'black', undefined]
        : [profile, 'red', { count: 2, by: ['owner'], notAsker: true }],
    )
  }
  expect(stopping(worldOf('')).approve).toBeUndefined()
})

test('several rules count together, named or not', () => {
  const other =
    ', {name: too, on: guest, effect: power, tier: red, because: More., approve: {count: 3, notAsker: false}}'
  expect(stopping(worldOf(approving('{count: 2, by: owner}', other)))).toMatchObject({
    rule: 'policy:two',
    approve: { count: 3, by: ['owner'], notAsker: true },
  })
  expect(both({ count: 1, by: ['kids'], notAsker: false }, { count: 1, by: ['owner'], notAsker: false }).by).toEqual([])
})

const ann: Approver = { id: 'operator', role: 'owner' }
const ben: Approver = { id: 'per_ben', role: 'operator' }
const kid: Approver = { id: 'per_kid', role: 'kids' }
const two: Approve = { count: 2, by: ['operator'], notAsker: true }
test.each<[string, Approve, Approver[], string | undefined, boolean]>([
  ['two besides the asker of three', two, [ann, ben, { id: 'per_c', role: 'operator' }], undefined, true],
  ['two besides the asker of two', two, [ann, ben], undefined, false],
  ['two of two, for a child who may not approve', two, [ann, ben, kid], 'per_kid', true],
  ['two of two, where one asks', two, [ann, ben, kid], 'per_ben', false],
  ['two of two, whoever asks', { ...two, notAsker: false }, [ann, ben], undefined, true],
  ['a disabled one', { ...two, notAsker: false }, [ann, { ...ben, isDisabled: true }], undefined, false],
  ['an owner where only operators are named', { ...two, count: 1, notAsker: false }, [ann], undefined, true],
  ['an operator where only owners are named', { count: 1, by: ['owner'], notAsker: false }, [ben], undefined, false],
])('%s', (_name, approve, people, asker, isMet) => {
  expect(unmet(approve, people, asker === undefined ? undefined : [asker]) === undefined).toBe(isMet)
})

test('the policy prints roles and approvals', () => {
  const yaml = `${withScope(on130)}\n${approving('{count: 2}')}`
  const text = policyLines(compilePolicy({ file: fileOf(yaml) }), houseFacts).join('\n')
  expect(text).toContain('  own: May restart ct/130.')
  expect(text).toContain('Takes 2 people who are operator, none of them the one who asked.')
  expect(summaryOf(fileOf(yaml))).toBe('1 rule, 1 role')
})

test('the cluster as a role sees it holds what its scopes name, and of other hosts the name alone', () => {
  const world = worldOf(withScope(on130))
  const state: ClusterState = {
    name: 'lab',
    isDemo: false,
    at: 1,
    isQuorate: true,
    missing: ['pve is offline'],
    self: { vmid: 105 },
    nodes: nodes.map((node) => ({ ...node, cpuRatio: 0.5 })),
    guests,
    storages: [{ name: 'nas', type: 'nfs', content: [], isActive: true, usedBytes: 1, totalBytes: 2 }],
    tasks: [105, 130, undefined].map((vmid, index) => ({
      upid: `t${index}`,
      node: 'Home',
      type: 'x',
      user: 'root',
      startedAt: 1,
      status: 'ok' as const,
      ...(vmid !== undefined && { vmid }),
    })),
  }
  const own = world.policy.roles.get('own')
  expect(own && seenBy(own, state, world)).toEqual({
    name: 'lab',
    isDemo: false,
    at: 1,
    isQuorate: true,
    missing: ['a part of the cluster could not be read'],
    nodes: [nodes[1]],
    guests: [guests[2]],
    storages: [],
    tasks: [expect.objectContaining({ vmid: 130 })],
  })
  const owner = world.policy.roles.get('owner')
  expect(owner && seenBy(owner, state, world)).toBe(state)
})
