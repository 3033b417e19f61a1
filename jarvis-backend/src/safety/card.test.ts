import { expect, test } from 'vitest'
import type { Guest } from '../protocol/index.ts'
import { describe } from './card.ts'
import { shippedPolicy } from './policy-shipped.ts'
import { resolveTarget } from './target.ts'
import type { World } from './world.ts'

const now = 1_760_000_000_000
const hourMs = 3_600_000

const base: Guest = {
  vmid: 123,
  name: 'frigate',
  type: 'vm',
  node: 'pve',
  status: 'running',
  isProtected: false,
  uptimeS: 8 * 86_400 + 4 * 3_600 + 10,
  cpuRatio: 0.97,
  cpuCount: 4,
  ramBytes: 1,
  ramTotalBytes: 2,
  diskBytes: 1,
  diskTotalBytes: 2,
  isHa: false,
  tags: [],
  backupAt: now - 31 * hourMs,
}

function cardOf(toolName: string, input: Record<string, unknown>, more: Partial<Guest> = {}) {
  const world: World = {
    cluster: {
      nodes: [
        { name: 'pve', status: 'online', isProtected: false, uptimeS: 90_000, cpuRatio: 0.124 },
        { name: 'agent1', status: 'offline', isProtected: false, lastSeenAt: now - 3 * hourMs },
      ],
      guests: [{ ...base, ...more }],
    },
    policy: shippedPolicy,
    now,
  }
  const resolved = resolveTarget(toolName, input, world)
  if (!resolved.ok) throw new Error(resolved.message)
  return describe({ toolName, input }, resolved.target, world, { tier: 'red', rule: 'base', reason: 'Why.' }, now)
}

test('restarting a busy VM', () => {
  expect(cardOf('restart_vm', { vmid: 123 })).toEqual({
    now: 'running for 8 d 4 h, CPU 97 %, last backup 31 h old',
    then: 'running → off about a minute → running, clean reboot',
    affects: 'Nothing else found (HA, locks, tags, backup age checked)',
    reason: 'Why.',
  })
})

test.each([
  ['stop_vm', {}, {}, 'running → stopped, clean shutdown'],
  ['stop_vm', { force: true }, {}, 'running → off at once: unsaved data is lost'],
  ['restart_vm', { force: true }, {}, 'running → off at once → running: unsaved data is lost'],
  ['start_vm', {}, { status: 'stopped' as const }, 'stopped → running'],
  ['start_vm', {}, {}, 'running already: nothing to start'],
  ['stop_vm', {}, { status: 'stopped' as const }, 'stopped already: nothing to stop'],
  ['restart_vm', {}, { status: 'stopped' as const }, 'stays stopped: only a running guest restarts'],
  ['stop_vm', {}, { status: 'paused' as const }, 'paused → paused: a paused guest cannot stop cleanly'],
  ['stop_vm', { force: true }, { status: 'paused' as const }, 'paused → off at once: unsaved data is lost'],
])('%s %j of a guest %j: %s', (toolName, input, more, expected) => {
  expect(cardOf(toolName, { vmid: 123, ...input }, more).then).toBe(expected)
})

test.each([
  [{ isHa: true }, 'Managed by HA: the request goes to HA, which may start it elsewhere'],
  [{ lock: 'backup' }, 'A backup is running; the task may fail'],
  [{ lock: 'migrate' }, 'Locked by migrate; the task may fail'],
  [{ tags: ['prod', 'dns'] }, 'Tagged dns: other guests may lose name resolution'],
  [{ tags: ['NAS'] }, 'Tagged NAS: guests that use its disks may stall'],
  [{ tags: ['constructor'] }, 'Nothing else found (HA, locks, tags, backup age checked)'],
  [{ backupAt: now - 9 * 24 * hourMs }, 'Its last backup is 9 d old'],
  [
    { isHa: true, tags: ['gateway'] },
    'Managed by HA: the request goes to HA, which may start it elsewhere. Tagged gateway: other guests may lose the network',
  ],
])('stopping a guest with %j affects: %s', (more, expected) => {
  expect(cardOf('stop_vm', { vmid: 123 }, more).affects).toBe(expected)
})

test('a guest without a known backup is said to have none', () => {
  const { backupAt: _, ...rest } = base
  const world: World = { cluster: { nodes: [], guests: [rest] }, policy: shippedPolicy, now }
  const target = { kind: 'guest' as const, id: 'vm/123', vmid: 123 }
  const card = describe(
    { toolName: 'stop_vm', input: {} },
    target,
    world,
    { tier: 'red', rule: 'base', reason: '' },
    now,
  )
  expect(card.now).toBe('running for 8 d 4 h, CPU 97 %, no backup known')
  expect(card.affects).toBe('No backup of it is known')
})

test('restarting a vital service says what it may cost and who stands on the node', () => {
  expect(cardOf('restart_service', { node: 'pve', service: 'corosync' })).toEqual({
    now: 'state of corosync not known; pve is online for 25 h, CPU 12 %',
    then: 'corosync stops, then starts again',
    affects: 'Restarting corosync may cost the cluster its quorum; 1 guest runs on pve',
    reason: 'Why.',
  })
})

test('waking a node says when it was last seen', () => {
  const card = cardOf('wake_node', { node: 'agent1' })
  expect(card.now).toBe('agent1 is offline, last seen 3 h ago')
  expect(card.then).toBe('offline → online, in some minutes')
})

test('a lock or tag cannot bring more than a word onto the card', () => {
  const card = cardOf('stop_vm', { vmid: 123 }, { lock: 'a\u202e b) Approve', tags: [] })
  expect(card.now).toContain('locked (abApprove)')
})
