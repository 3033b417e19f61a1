import fc from 'fast-check'
import { type Guest, type ProfileName, profileNames, tiers } from 'protocol'
import { expect, test } from 'vitest'
import { runs } from '../../../../scripts/property-runs.ts'
import { resolve } from '../../../test/support/effects.ts'
import { houseFacts } from '../../tools/house.ts'
import { decide, usualTier } from '../decide.ts'
import { guestOf, nodeOf, runningUnits } from '../lab.fixture.ts'
import type { World } from '../world.ts'
import { compilePolicy } from './compile.ts'
import { parsePolicy } from './parse.ts'
import { policyLines } from './print.ts'
import { shippedPolicy } from './shipped.ts'

const guest = (vmid: number, type: Guest['type'], more: Partial<Guest> = {}) => guestOf(vmid, { type, ...more })
const nodes = ['pve', 'Home', 'agent'].map((name) => nodeOf(name))
const guests = [
  guest(105, 'vm', { tags: ['Prod'] }),
  guest(106, 'vm', { node: 'Home', lock: 'backup' }),
  guest(107, 'ct', { node: 'Home' }),
]
/** A Saturday, 23:30 in Amsterdam. */
const saturdayNight = Date.UTC(2026, 10, 21, 22, 30)

function worldWith(yaml: string, more: { profile?: ProfileName; protectedList?: string[]; now?: number } = {}): World {
  const parsed = parsePolicy(yaml, houseFacts)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('\n'))
  const { profile = 'balanced', protectedList = [], now = saturdayNight } = more
  const policy = compilePolicy({ file: parsed.file, profile, protectedTargets: new Set(protectedList) })
  return { cluster: { nodes, guests }, policy, now, unitOf: runningUnits }
}

type Input = Record<string, unknown>
function verdictOf(world: World, toolName: string, input: Input) {
  const resolved = resolve(toolName, input, world)
  if (!resolved.ok) throw new Error(resolved.message)
  const baseTier = houseFacts.get(toolName)?.tier ?? 'red'
  return decide({ toolName, baseTier, input }, resolved.effects, world)
}
const said = (world: World, toolName: string, input: Input) => {
  const { tier, rule } = verdictOf(world, toolName, input)
  return `${tier} ${rule}`
}

const rule = (tools: string, when: string, tier = 'black') =>
  `timezone: Europe/Amsterdam\nrules: [{name: mine, tools: ${tools}, when: ${when}, tier: ${tier}, because: Mine.}]`
const stop = { vmid: 105 }
test.each<[string, string, Input, boolean]>([
  // A guest is known by its number, whatever the file calls its kind; tags whatever their case.
  [rule('[stop_vm]', '{target: vm/105}'), 'stop_vm', stop, true],
  [rule('[stop_vm]', '{target: ct/105}'), 'stop_vm', stop, true],
  [rule('[stop_vm]', '{target: vm/106}'), 'stop_vm', stop, false],
  [rule('[stop_vm]', '{target: [vm/106, tag:prod]}'), 'stop_vm', stop, true],
  [rule('[stop_vm]', '{target: tag:prod}'), 'stop_vm', { vmid: 106 }, false],
  [rule('[start_vm]', '{target: vm/105}'), 'stop_vm', stop, false],
  [rule('all', '{target: vm/105}'), 'stop_vm', stop, true],
  // By effect, of every tool that has it, present and future.
  ['rules: [{name: mine, effect: power, on: guest, tier: black, because: Mine.}]', 'stop_vm', stop, true],
  ['rules: [{name: mine, effect: power, on: guest, tier: black, because: Mine.}]', 'wake_node', { node: 'pve' }, false],
  [
    'rules: [{name: mine, effect: [data, power], on: [node], tier: black, because: Mine.}]',
    'wake_node',
    { node: 'pve' },
    true,
  ],
  [
    'rules: [{name: mine, on: service, tier: black, because: Mine.}]',
    'restart_service',
    { node: 'pve', service: 'nginx' },
    true,
  ],
  ['rules: [{name: mine, effect: execute, tools: [stop_vm], tier: black, because: Mine.}]', 'stop_vm', stop, false],
  // A node's target is the node and its services; `node` is all that happens there.
  [rule('all', '{target: node/PVE}'), 'execute_ssh', { node: 'pve', command: 'df' }, true],
  [rule('all', '{target: node/pve}'), 'restart_service', { node: 'pve', service: 'nginx' }, true],
  [rule('all', '{target: node/pve}'), 'stop_vm', stop, false],
  [rule('all', '{node: pve}'), 'stop_vm', stop, true],
  [rule('all', '{node: pve}'), 'stop_vm', { vmid: 106 }, false],
  [rule('all', '{node: pve}'), 'get_vms', {}, false],
  [rule('all', '{target: service/nginx}'), 'restart_service', { node: 'pve', service: 'nginx.service' }, true],
  [rule('all', '{target: service/nginx.service}'), 'restart_service', { node: 'pve', service: 'nginx' }, true],
  [rule('all', '{target: service/nginx}'), 'restart_service', { node: 'pve', service: 'nginx2' }, false],
  [rule('all', '{target: service/nginx}'), 'execute_ssh', { node: 'pve', command: 'systemctl stop nginx' }, true],
  [rule('all', '{target: service/nginx}'), 'execute_ssh', { node: 'pve', command: 'systemctl status nginx' }, false],
  // Arguments.
  [rule('[stop_vm]', '{args: {force: true}}'), 'stop_vm', { ...stop, force: true }, true],
  [rule('[stop_vm]', '{args: {force: true}}'), 'stop_vm', stop, false],
  [rule('[stop_vm]', '{args: {force: false}}'), 'stop_vm', stop, true],
  [rule('[stop_vm]', '{args: {vmid: [104, 105]}}'), 'stop_vm', stop, true],
  [
    rule('[restart_service]', '{args: {service: NGINX}}'),
    'restart_service',
    { node: 'pve', service: 'nginx.service' },
    true,
  ],
  [
    rule('[restart_service]', '{args: {service: {startsWith: ng}}}'),
    'restart_service',
    { node: 'pve', service: 'nginx' },
    true,
  ],
  [
    rule('[restart_service]', '{args: {service: {contains: inx}}}'),
    'restart_service',
    { node: 'pve', service: 'nginx' },
    true,
  ],
  [
    rule('[restart_service]', '{args: {service: {equals: ngin}}}'),
    'restart_service',
    { node: 'pve', service: 'nginx' },
    false,
  ],
  // Quotes, blanks, case and pipes hide nothing.
  ...['journalctl -u web', "journalctl  '-u'   web", 'journalctl -u "web"', 'journalctl -u web | tail -n 3'].map(
    (command): [string, string, Input, boolean] => [
      rule('[execute_ssh]', '{args: {command: {startsWith: journalctl -u}}}'),
      'execute_ssh',
      { node: 'pve', command },
      true,
    ],
  ),
  [
    rule('[execute_ssh]', '{args: {command: {startsWith: tail}}}'),
    'execute_ssh',
    { node: 'pve', command: 'ls /tmp | tail -n 3' },
    true,
  ],
  [
    rule('[execute_ssh]', '{args: {command: {startsWith: journalctl}}}'),
    'execute_ssh',
    { node: 'pve', command: 'df' },
    false,
  ],
  // Time, at the place that is named.
  [rule('all', '{hours: 22:00-07:00}'), 'stop_vm', stop, true],
  [rule('all', '{hours: 07:00-22:00}'), 'stop_vm', stop, false],
  [rule('all', '{hours: 23:30-23:31}'), 'stop_vm', stop, true],
  [rule('all', '{hours: 22:00-23:30}'), 'stop_vm', stop, false],
  [rule('all', '{hours: 00:00-24:00}'), 'stop_vm', stop, true],
  [rule('all', '{hours: 22:00-23:00}').replace('Europe/Amsterdam', 'UTC'), 'stop_vm', stop, true],
  [rule('all', '{days: [sat]}'), 'stop_vm', stop, true],
  [rule('all', '{days: [sun, mon]}'), 'stop_vm', stop, false],
  [rule('all', '{days: sun}').replace('Europe/Amsterdam', 'Asia/Tokyo'), 'stop_vm', stop, true],
  [rule('all', '{profile: balanced}'), 'stop_vm', stop, true],
  [rule('all', '{profile: [permissive, unrestricted]}'), 'stop_vm', stop, false],
  // All conditions must hold.
  [rule('all', '{target: vm/105, days: sat, node: pve}'), 'stop_vm', stop, true],
  [rule('all', '{target: vm/105, days: sun}'), 'stop_vm', stop, false],
  // Refused words of a command.
  [
    'ssh: {refuse: [{command: Journalctl  -u, because: Mine.}]}',
    'execute_ssh',
    { node: 'pve', command: "journalctl '-u' web" },
    true,
  ],
  [
    'ssh: {refuse: [{command: journalctl -u, because: Mine.}]}',
    'execute_ssh',
    { node: 'pve', command: 'journalctl -n 5' },
    false,
  ],
])('%s, %s %j: %s', (yaml, toolName, input, holds) => {
  const before = verdictOf(worldWith(''), toolName, input)
  const after = verdictOf(worldWith(yaml), toolName, input)
  expect(after).toEqual(holds ? { tier: 'black', rule: expect.stringMatching(/^policy:/), reason: 'Mine.' } : before)
})

test('a file raises a tool, protects, and adds to what the environment protects', () => {
  const world = worldWith('tiers: {restart_service: red}\nprotected: [vm/105]', { protectedList: ['node/Home'] })
  expect(verdictOf(world, 'restart_service', { node: 'pve', service: 'nginx' })).toEqual({
    tier: 'red',
    rule: 'tiers',
    reason: 'policy.yaml makes restart_service red.',
  })
  expect(said(world, 'stop_vm', stop)).toBe('black protected_guest')
  expect(said(world, 'wake_node', { node: 'Home' })).toBe('black protected_node')
})

const allowed =
  'allow: [{tool: stop_vm, target: vm/105, because: Let it.}, {tool: stop_vm, target: vm/106, because: x}]'
test.each<[string, string, Input, string]>([
  [allowed, 'stop_vm', stop, 'yellow allow'],
  [allowed, 'restart_vm', stop, 'red base'],
  [allowed, 'stop_vm', { ...stop, force: true }, 'red forced'],
  [allowed, 'stop_vm', { vmid: 106 }, 'red locked'],
  [`${allowed}\nprotected: [vm/105]`, 'stop_vm', stop, 'black protected_guest'],
  [`${allowed}\nrules: [{name: mine, tools: all, tier: red, because: x}]`, 'stop_vm', stop, 'red policy:mine'],
])('with %j, %s %j is %s', (yaml, toolName, input, expected) => {
  expect(said(worldWith(yaml), toolName, input)).toBe(expected)
})

const calls: Record<string, [string, Input]> = {
  green: ['get_vms', {}],
  yellow: ['wake_node', { node: 'pve' }],
  'own red': ['stop_vm', stop],
  'found red': ['stop_vm', { ...stop, force: true }],
  black: ['execute_ssh', { node: 'pve', command: 'rm x' }],
}
test.each<[ProfileName, string, string]>([
  ['lockdown', 'green', 'green base'],
  ['lockdown', 'yellow', 'black profile'],
  ['lockdown', 'own red', 'black profile'],
  ['lockdown', 'found red', 'black profile'],
  ['lockdown', 'black', 'black not_read_only'],
  ['restricted', 'green', 'green base'],
  ['restricted', 'yellow', 'red profile'],
  ['restricted', 'own red', 'red base'],
  ['restricted', 'found red', 'red forced'],
  ['restricted', 'black', 'black not_read_only'],
  ['balanced', 'green', 'green base'],
  ['balanced', 'yellow', 'yellow base'],
  ['balanced', 'own red', 'red base'],
  ['balanced', 'found red', 'red forced'],
  ['balanced', 'black', 'black not_read_only'],
  ['permissive', 'green', 'green base'],
  ['permissive', 'yellow', 'yellow base'],
  ['permissive', 'own red', 'yellow profile'],
  ['permissive', 'found red', 'red forced'],
  ['permissive', 'black', 'black not_read_only'],
  ['unrestricted', 'green', 'green base'],
  ['unrestricted', 'yellow', 'yellow base'],
  ['unrestricted', 'own red', 'yellow profile'],
  ['unrestricted', 'found red', 'yellow profile'],
  ['unrestricted', 'black', 'black not_read_only'],
])('under %s a call that is %s is %s', (profile, kind, expected) => {
  const [toolName, input] = calls[kind] ?? ['', {}]
  expect(said(worldWith('', { profile }), toolName, input)).toBe(expected)
})

test.each<[ProfileName, string]>([
  ['lockdown', 'black'],
  ['restricted', 'red'],
])('an allow counts for nothing under %s', (profile, tier) => {
  expect(verdictOf(worldWith(allowed, { profile }), 'stop_vm', stop).tier).toBe(tier)
})

test('an operator’s red still asks under permissive, though the tool was red already', () => {
  const yaml = 'rules: [{name: mine, tools: [stop_vm], tier: red, because: x}]'
  expect(said(worldWith(yaml, { profile: 'permissive' }), 'stop_vm', stop)).toBe('red policy:mine')
  const raised = 'tiers: {wake_node: red}'
  expect(said(worldWith(raised, { profile: 'permissive' }), 'wake_node', { node: 'pve' })).toBe('red tiers')
})

test('without a file and balanced, the base tiers are the contract’s', () => {
  const { policy } = worldWith('')
  const others = [...houseFacts].filter(
    ([toolName, { tier }]) => usualTier({ toolName, baseTier: tier }, policy) !== tier,
  )
  expect(others).toEqual([])
  const changing = [...houseFacts].filter(
    ([, { tier, touches }]) => tier === 'green' && touches.some(({ kind }) => kind !== 'read'),
  )
  expect(changing).toEqual([])
})

test('limits only tighten, and facts of the homelab are kept as they were said', () => {
  const { limits, topology } = worldWith(
    'limits: {rates: {execute_ssh: 5/h, get_vms: 100/min}, breaker: {failures: 2}}\n' +
      'topology: {jarvis: ct/130, dns: ct/110, groups: {web: [ct/107, vm/105]}}',
  ).policy
  const shipped = worldWith('').policy.limits
  expect(limits.rates.get('execute_ssh')).toEqual([
    ...(shipped.rates.get('execute_ssh') ?? []),
    { calls: 5, perMs: 3_600_000 },
  ])
  expect(limits.rates.get('get_vms')).toEqual([{ calls: 100, perMs: 60_000 }])
  expect(limits.rates.get('stop_vm')).toEqual(shipped.rates.get('stop_vm'))
  expect(limits.breaker).toEqual({ ...shipped.breaker, failures: 2 })
  expect(topology).toEqual({ jarvis: 'ct/130', dns: ['ct/110'], groups: { web: ['ct/107', 'vm/105'] } })
})

test('the printed policy names every tool and rule', () => {
  const lines = policyLines(
    worldWith(rule('all', '{target: vm/105}'), { profile: 'restricted' }).policy,
    houseFacts,
  ).join('\n')
  for (const name of [...houseFacts.keys(), ...shippedPolicy.rules.map(({ name }) => name), 'policy:mine']) {
    expect(lines).toContain(name)
  }
  expect(lines).toContain('Profile restricted')
})

const strings = (...items: string[]) => fc.constantFrom(...items)
const anyRule = fc.record(
  {
    tools: fc.constantFrom('all', ['stop_vm', 'execute_ssh', 'get_vms'], ['restart_container', 'restart_service']),
    tier: strings('red', 'black'),
    when: fc.record(
      {
        target: strings('vm/105', 'ct/107', 'tag:prod', 'node/pve', 'service/nginx'),
        node: strings('pve', 'Home'),
        hours: strings('22:00-07:00', '08:00-12:00'),
        days: strings('sat', 'mon'),
        profile: strings(...profileNames),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['tools', 'tier'] },
)
const anyFile = fc.record(
  {
    rules: fc
      .array(anyRule, { maxLength: 4 })
      .map((rules) => rules.map((each, index) => ({ ...each, name: `r${index}`, because: 'x' }))),
    tiers: fc.dictionary(strings('restart_service', 'stop_vm', 'get_vms'), strings('red', 'black'), {
      noNullPrototype: true,
    }),
    protected: fc.array(strings('vm/105', 'node/pve', 'service/nginx')),
    allow: fc.array(
      fc.record({ tool: strings('stop_vm'), target: strings('vm/105', 'vm/106'), because: strings('x') }),
    ),
  },
  { requiredKeys: ['rules'] },
)
const anyCall = fc.constantFrom<[string, Input]>(
  ['get_vms', {}],
  ['get_node_status', { node: 'pve' }],
  ['execute_ssh', { node: 'pve', command: 'df' }],
  ['execute_ssh', { node: 'Home', command: 'rm x' }],
  ['restart_service', { node: 'pve', service: 'nginx' }],
  ['restart_service', { node: 'pve', service: 'corosync' }],
  ['wake_node', { node: 'Home' }],
  ['stop_vm', stop],
  ['stop_vm', { vmid: 106, force: true }],
  ['restart_container', { vmid: 107 }],
)
const anyWorld = fc.record({ profile: fc.constantFrom(...profileNames), now: fc.integer({ min: 0, max: 2e12 }) })
const rankOf = (world: World, [toolName, input]: [string, Input]) =>
  tiers.indexOf(verdictOf(world, toolName, input).tier)

test('one rule more never lowers a verdict, under any profile, file, time and call', () => {
  fc.assert(
    fc.property(anyFile, anyRule, anyCall, anyWorld, (file, added, call, world) => {
      const more = { ...file, rules: [...file.rules, { ...added, name: 'added', because: 'x' }] }
      const before = rankOf(worldWith(JSON.stringify(file), world), call)
      expect(rankOf(worldWith(JSON.stringify(more), world), call)).toBeGreaterThanOrEqual(before)
    }),
    runs(30),
  )
})

test('a file without allow never lowers what is shipped, and none lowers black', () => {
  fc.assert(
    fc.property(anyFile, anyCall, anyWorld, ({ allow, ...file }, call, world) => {
      const shipped = rankOf(worldWith('', world), call)
      expect(rankOf(worldWith(JSON.stringify(file), world), call)).toBeGreaterThanOrEqual(shipped)
      const withAllow = rankOf(worldWith(JSON.stringify({ ...file, allow: allow ?? [] }), world), call)
      if (shipped === tiers.indexOf('black')) expect(withAllow).toBe(shipped)
    }),
    runs(30),
  )
})

test('a stricter profile never asks less', () => {
  fc.assert(
    fc.property(anyFile, anyCall, fc.integer({ min: 0, max: 2e12 }), ({ rules: _, ...file }, call, now) => {
      const ranks = profileNames.map((profile) => rankOf(worldWith(JSON.stringify(file), { profile, now }), call))
      expect(ranks).toEqual(ranks.toSorted((a, b) => b - a))
    }),
    runs(30),
  )
})
