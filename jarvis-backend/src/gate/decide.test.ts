import fc from 'fast-check'
import { type Guest, type Tier, tiers } from 'protocol'
import { expect, test } from 'vitest'
import { resolve } from '../../test/support/effects.ts'
import { decide } from './decide.ts'
import type { Touch } from './effect.ts'
import { guestOf, nodeOf, runningUnits } from './lab.fixture.ts'
import { compilePolicy } from './policy/compile.ts'
import { parseProtected, unseenTargets } from './policy/protected.ts'
import { reads } from './targets.ts'
import type { Call, Rule, World } from './world.ts'

const guest = (vmid: number, type: Guest['type'], more: Partial<Guest> = {}) => guestOf(vmid, { type, ...more })

const worldWith = (protectedList: string): World => {
  const parsed = parseProtected(protectedList)
  if (!parsed.ok) throw new Error(parsed.problem)
  return {
    cluster: {
      nodes: [nodeOf('pve'), nodeOf('Home'), nodeOf('agent1', 'offline')],
      guests: [
        guest(101, 'vm', { node: 'Home' }),
        guest(104, 'ct'),
        guest(105, 'vm', { lock: 'backup' }),
        guest(110, 'ct', { node: 'agent1' }),
        guest(111, 'vm', { status: 'stopped' }),
        guest(112, 'vm', { status: 'paused' }),
        guest(113, 'ct', { status: 'unknown' }),
        guest(114, 'vm', { status: 'stopped', isTemplate: true }),
      ],
    },
    policy: compilePolicy({ protectedTargets: parsed.targets }),
    now: 0,
    unitOf: runningUnits,
  }
}

const baseTiers = new Map<string, Tier>([
  ['get_node_status', 'green'],
  ['get_vms', 'green'],
  ['execute_ssh', 'yellow'],
  ['restart_service', 'yellow'],
  ['wake_node', 'yellow'],
  ['memory_write', 'yellow'],
  ...['start', 'stop', 'restart'].flatMap((action): [string, Tier][] => [
    [`${action}_vm`, 'red'],
    [`${action}_container`, 'red'],
  ]),
])
const callOf = (toolName: string, input: Record<string, unknown>): Call => ({
  toolName,
  input,
  baseTier: baseTiers.get(toolName) ?? 'red',
})

function judge(toolName: string, input: Record<string, unknown>, protectedList = 'node/agent1') {
  const world = worldWith(protectedList)
  const resolved = resolve(toolName, input, world)
  if (!resolved.ok) return resolved.message
  const { tier, rule } = decide(callOf(toolName, input), resolved.effects, world)
  return `${tier} ${rule}`
}

test.each([
  ['get_vms', {}, 'green base'],
  ['get_vms', { node: 'agent1' }, 'green base'],
  ['get_node_status', { node: 'agent1' }, 'green base'],
  ['execute_ssh', { node: 'pve', command: 'df -h' }, 'yellow base'],
  ['execute_ssh', { node: 'pve', command: 'rm x' }, 'black not_read_only'],
  ['execute_ssh', { node: 'pve', command: 'df; reboot' }, 'black not_read_only'],
  ['execute_ssh', { node: 'pve', command: 7 }, 'red unknown_effect'],
  ['execute_ssh', { node: 'agent1', command: 'df -h' }, 'black protected_node'],
  ['wake_node', { node: 'pve' }, 'yellow base'],
  ['wake_node', { node: 'agent1' }, 'black protected_node'],
  ['restart_service', { node: 'pve', service: 'nginx' }, 'yellow base'],
  ['restart_service', { node: 'pve', service: 'pvestatd' }, 'yellow base'],
  ['restart_service', { node: 'pve', service: 'pveproxy' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'pveproxy.service' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'corosync' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'pve-ha-lrm' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'pve-guests' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'ssh.socket' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'sshd' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'NetworkManager' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'systemd-networkd' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'systemd-resolved' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'ceph-osd@3' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'ifup@vmbr0' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'blk-availability' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'dbus-org.freedesktop.network1' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'ovsdb-server' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'pve-container@104' }, 'red vital_service'],
  ['restart_service', { node: 'pve', service: 'constructor' }, 'red unproven_service'],
  ['restart_service', { node: 'pve', service: 'reboot.target' }, 'black not_a_service'],
  ['restart_service', { node: 'pve', service: 'systemd-poweroff' }, 'black not_a_service'],
  ['restart_service', { node: 'pve', service: 'systemd-reboot.service' }, 'black not_a_service'],
  ['restart_service', { node: 'pve', service: 'nginx; reboot' }, 'black not_a_service'],
  ['restart_service', { node: 'pve', service: '--now' }, 'black not_a_service'],
  ['restart_service', { node: 'pve', service: '*' }, 'black not_a_service'],
  ['restart_service', { node: 'agent1', service: 'nginx' }, 'black protected_node'],
  ['memory_write', { text: 'x' }, 'yellow base'],
  ['memory_write', { text: 'x', path: 'MEMORY.md' }, 'yellow base'],
  ['memory_write', { text: 'x', path: 'SOUL.md' }, 'red own_instructions'],
  ['memory_write', { text: 'x', path: 'agents.MD', replaces: 'y' }, 'red own_instructions'],
  ['stop_vm', { vmid: 101 }, 'red base'],
  ['stop_vm', { vmid: 101, node: 'Home' }, 'red base'],
  ['stop_vm', { vmid: 101, force: false }, 'red base'],
  ['stop_vm', { vmid: 101, force: true }, 'red forced'],
  ['restart_container', { vmid: 104, force: true }, 'red forced'],
  ['start_vm', { vmid: 101, force: true }, 'red base'],
  ['stop_vm', { vmid: 105 }, 'red locked'],
  ['start_container', { vmid: 110 }, 'red base'],
  ['stop_vm', { vmid: 999 }, 'vmid: there is no guest 999.'],
  ['stop_vm', { vmid: '101' }, 'vmid: there is no guest 101.'],
  ['stop_vm', { vmid: 101, node: 'pve' }, 'node: 101 is on Home, not pve.'],
  ['stop_vm', { vmid: 101, node: 'home' }, 'node: 101 is on Home, not home.'],
  ['stop_vm', { vmid: 104 }, 'vmid: 104 is a container; use stop_container.'],
  ['restart_container', { vmid: 101 }, 'vmid: 101 is a virtual machine; use restart_vm.'],
  ...['start_vm', 'stop_vm', 'restart_vm'].map((name): [string, Record<string, unknown>, string] => [
    name,
    { vmid: 114 },
    'vmid: 114 is a template, which never runs. clone_guest makes a guest of it.',
  ]),
  ['wake_node', { node: 'x' }, 'node: there is no node x. Nodes: pve, Home, agent1.'],
  ['get_vms', { node: 'constructor' }, 'node: there is no node constructor. Nodes: pve, Home, agent1.'],
  ['execute_ssh', { node: '../pve', command: 'df' }, 'node: there is no node ../pve. Nodes: pve, Home, agent1.'],
  ['execute_ssh', { node: 'PVE', command: 'df' }, 'node: there is no node PVE. Nodes: pve, Home, agent1.'],
  ['execute_ssh', { command: 'df' }, 'node: there is no node undefined. Nodes: pve, Home, agent1.'],
])('%s %j is %s', (toolName, input, expected) => {
  expect(judge(toolName, input)).toBe(expected)
})

test.each([
  ['vm/101', 'stop_vm', { vmid: 101 }, 'black protected_guest'],
  ['vm/101', 'start_vm', { vmid: 101, force: true }, 'black protected_guest'],
  ['ct/101', 'stop_vm', { vmid: 101 }, 'black protected_guest'],
  ['ct/104', 'restart_container', { vmid: 104 }, 'black protected_guest'],
  ['vm/102', 'stop_vm', { vmid: 101 }, 'red base'],
  ['node/Home', 'stop_vm', { vmid: 101 }, 'red base'],
  ['node/home', 'wake_node', { node: 'Home' }, 'black protected_node'],
  ['service/nginx', 'restart_service', { node: 'pve', service: 'nginx' }, 'black protected_service'],
  ['service/nginx', 'restart_service', { node: 'pve', service: 'nginx.service' }, 'black protected_service'],
  ['service/nginx.service', 'restart_service', { node: 'pve', service: 'nginx' }, 'black protected_service'],
  ['service/corosync', 'restart_service', { node: 'pve', service: 'corosync' }, 'black protected_service'],
  ['service/nginx', 'restart_service', { node: 'pve', service: 'nginx2' }, 'red unproven_service'],
  ['', 'wake_node', { node: 'agent1' }, 'yellow base'],
])('with %s protected, %s %j is %s', (list, toolName, input, expected) => {
  expect(judge(toolName, input, list)).toBe(expected)
})

test.each([
  ['stop_vm', { vmid: 101 }, 'It stops a running guest.'],
  ['stop_vm', { vmid: 111 }, 'It stops a guest that is stopped already.'],
  ['restart_vm', { vmid: 112 }, 'It restarts a paused guest.'],
  ['stop_container', { vmid: 113 }, 'It stops a guest of which it is not known whether it runs.'],
  ['get_vms', {}, 'It reads only.'],
  ['wake_node', { node: 'agent1' }, 'node/agent1 is protected: nothing may change it.'],
  [
    'execute_ssh',
    { node: 'agent1', command: 'df -h' },
    'node/agent1 is protected: no command runs there, not even to read. The get_* tools tell about it.',
  ],
  ['execute_ssh', { node: 'pve', command: 'rm x' }, 'rm deletes files. Over SSH only commands proven to read may run.'],
  [
    'restart_service',
    { node: 'pve', service: 'corosync' },
    'Restarting corosync may cost the cluster its quorum. 2 of 3 nodes are online and quorum needs 2: without pve there is none.',
  ],
  ['stop_vm', { vmid: 105 }, '105 is locked (backup): a backup of it is running.'],
])('%s %j says why', (toolName, input, reason) => {
  const world = worldWith('node/agent1')
  const resolved = resolve(toolName, input, world)
  expect(resolved.ok && decide(callOf(toolName, input), resolved.effects, world).reason).toBe(reason)
})

test('of several rules that ask for a person the first is named, and each says why', () => {
  const world = worldWith('')
  const call = callOf('stop_vm', { vmid: 105, force: true })
  const resolved = resolve('stop_vm', call.input, world)
  const both = resolved.ok && decide(call, resolved.effects, world)
  const reasons = [
    'force: true is the power plug: what is not saved is lost.',
    '105 is locked (backup): a backup of it is running.',
  ]
  expect(both).toEqual({ tier: 'red', rule: 'forced', reason: reasons[0], reasons })
})

test('a protected thing that is not in the cluster is told apart, once the cluster is seen', () => {
  const targets = ['node/agent1', 'node/pve', 'vm/104', 'ct/999', 'service/nginx']
  const seen = { nodes: [{ name: 'PVE' }], guests: [{ vmid: 104 }] }
  expect(unseenTargets(targets, seen)).toEqual(['node/agent1', 'ct/999'])
  expect(unseenTargets(targets, { nodes: [], guests: [] })).toEqual([])
  const storages = [{ name: 'Tank' }, { name: 'local', node: 'PVE' }]
  const listed = ['storage/tank', 'storage/pve/local', 'storage/local', 'storage/home/local', 'storage/gone']
  expect(unseenTargets(listed, { ...seen, storages })).toEqual(['storage/home/local', 'storage/gone'])
  expect(unseenTargets(listed, { ...seen, storages: [], unread: ['storages'] })).toEqual([])
  expect(unseenTargets(listed, seen)).toEqual([])
})

test('a list of protected things is read, and what is none of them is named', () => {
  expect(
    parseProtected(' node/agent1, vm/101 ,ct/104,service/nginx@a.service,storage/x,storage/pve/tank-1.a,'),
  ).toEqual({
    ok: true,
    targets: new Set([
      'node/agent1',
      'vm/101',
      'ct/104',
      'service/nginx@a.service',
      'storage/x',
      'storage/pve/tank-1.a',
    ]),
  })
  expect(parseProtected('')).toEqual({ ok: true, targets: new Set() })
  for (const wrong of [
    'agent1',
    'vm/abc',
    'vm/0101',
    'vm/1',
    'node/',
    'node/../x',
    'storage/',
    'storage/../x',
    'storage/pve/a/b',
    'VM/101',
    'service/;',
  ]) {
    const parsed = parseProtected(`node/pve,${wrong}`)
    expect(parsed.ok ? undefined : parsed.problem).toContain(wrong)
  }
})

const anyCall = fc.constantFrom(
  callOf('get_vms', {}),
  callOf('execute_ssh', { node: 'pve', command: 'df' }),
  callOf('execute_ssh', { node: 'pve', command: 'rm x' }),
  callOf('restart_service', { node: 'pve', service: 'corosync' }),
  callOf('wake_node', { node: 'agent1' }),
  callOf('stop_vm', { vmid: 101, force: true }),
  callOf('restart_container', { vmid: 104 }),
)
const anyRule: fc.Arbitrary<Rule> = fc.record({
  name: fc.string(),
  tools: fc.constantFrom(['stop_vm', 'get_vms'], ['get_vms', 'execute_ssh']),
  effects: fc.constantFrom<Partial<Touch>[]>([{}], [{ kind: 'power' }], [{ kind: 'execute' }, { on: 'guest' }]),
  tier: fc.constantFrom(...tiers),
  when: fc.constantFrom(
    () => true,
    () => false,
    () => {
      throw new Error('broken')
    },
  ),
  because: fc.constant('made up'),
})

test('adding a rule never lowers a verdict, wherever it stands', () => {
  const world = worldWith('node/agent1')
  fc.assert(
    fc.property(anyCall, fc.array(anyRule), fc.nat(), (call, added, at) => {
      const resolved = resolve(call.toolName, call.input, world)
      if (!resolved.ok) throw new Error(resolved.message)
      const { rules } = world.policy
      const place = at % (rules.length + 1)
      const before = decide(call, resolved.effects, world).tier
      const more = { ...world.policy, rules: [...rules.slice(0, place), ...added, ...rules.slice(place)] }
      const after = decide(call, resolved.effects, { ...world, policy: more }).tier
      expect(tiers.indexOf(after)).toBeGreaterThanOrEqual(tiers.indexOf(before))
      expect(tiers.indexOf(before)).toBeGreaterThanOrEqual(tiers.indexOf(call.baseTier))
    }),
  )
})

test('a rule that fails makes the call black', () => {
  const broken: Rule = {
    name: 'broken',
    tier: 'yellow',
    because: '',
    when: () => {
      throw new Error('no')
    },
  }
  const world = worldWith('')
  const policy = { ...world.policy, rules: [broken] }
  const verdict = decide(callOf('get_vms', {}), reads({}, world), { ...world, policy })
  expect(verdict).toEqual({ tier: 'black', rule: 'broken', reason: 'The rule broken could not judge this call.' })
})
