import type { Guest } from 'protocol'
import { expect, test } from 'vitest'
import { spoofs } from '../../../test/corpora/spoofing.ts'
import { resolve } from '../../../test/support/effects.ts'
import { guestOf } from '../lab.fixture.ts'
import { shippedPolicy } from '../policy/shipped.ts'
import type { World } from '../world.ts'
import { describe } from './card.ts'

const now = 1_760_000_000_000
const hourMs = 3_600_000

const base = guestOf(123, {
  name: 'frigate',
  uptimeS: 8 * 86_400 + 4 * 3_600 + 10,
  cpuRatio: 0.97,
  cpuCount: 4,
  backupAt: now - 31 * hourMs,
})

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
  const resolved = resolve(toolName, input, world)
  if (!resolved.ok) throw new Error(resolved.message)
  const verdict = { tier: 'red', rule: 'base', reason: 'Why.' } as const
  return describe({ toolName, effects: resolved.effects, verdict }, world, now)
}

test('restarting a busy VM', () => {
  expect(cardOf('restart_vm', { vmid: 123 })).toEqual({
    sentence: 'VM 123 "frigate" on pve shuts down cleanly and starts again: it is away for about a minute.',
    effect: { kind: 'power', on: 'guest', action: 'restart', type: 'vm' },
    now: 'running for 8 d 4 h on pve, CPU 97 %, last backup 31 h old',
    then: 'running → off 1 min → running, clean reboot',
    affects: 'Nothing else found (HA, locks, tasks, name, tags, groups, backup age checked)',
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
  ['stop_vm', {}, { status: 'unknown' as const }, 'not known → stopped, clean shutdown'],
  ['start_vm', {}, { status: 'unknown' as const }, 'not known → running'],
])('%s %j of a guest %j: %s', (toolName, input, more, expected) => {
  expect(cardOf(toolName, { vmid: 123, ...input }, more).then).toBe(expected)
})

test.each([
  [{ isHa: true }, 'Managed by HA: the request goes to HA, which may start it elsewhere'],
  [{ lock: 'backup' }, 'A backup is running; the task may fail'],
  [{ lock: 'migrate' }, 'Locked by migrate; the task may fail'],
  [{ tags: ['prod', 'dns'] }, 'Guests may lose name resolution: by its tag it is the DNS'],
  [{ tags: ['NAS'] }, 'Guests whose disks it serves may stall: by its tag it is the storage'],
  [
    { tags: ['NAS'], status: 'stopped' as const },
    'Nothing else found (HA, locks, tasks, name, tags, groups, backup age checked)',
  ],
  [{ tags: ['group-web'] }, 'Nobody is left running of the group web'],
  [{ tags: ['constructor'] }, 'Nothing else found (HA, locks, tasks, name, tags, groups, backup age checked)'],
  [
    { backupDoubt: 'it may be of an earlier guest' },
    'Whether its last backup is its own is not known: it may be of an earlier guest',
  ],
  [{ backupAt: now - 9 * 24 * hourMs }, 'Its last backup is 9 d old'],
  // A card finds the same marks in a name as the rules.
  [{ name: 'jarvis' }, 'JARVIS may be cut off: by its name it may be where JARVIS runs'],
  [{ name: 'pihole' }, 'Guests may lose name resolution: by its name it is the DNS'],
  [{ name: 'truenas' }, 'Guests whose disks it serves may stall: by its name it is the storage'],
  [{ name: 'pbs' }, 'Backups may fail: by its name it keeps backups'],
  [{ name: 'dhcp-1' }, 'Machines may lose their addresses: by its name it hands out addresses'],
  [{ tags: ['dhcp'] }, 'Machines may lose their addresses: by its tag it hands out addresses'],
  [{ haState: 'migrate' }, 'HA is moving it to another node; the task may fail'],
  [
    { isHa: true, tags: ['gateway'] },
    'Managed by HA: the request goes to HA, which may start it elsewhere. Guests may lose the network, and JARVIS the cluster: by its tag it is the gateway',
  ],
])('stopping a guest with %j affects: %s', (more, expected) => {
  expect(cardOf('stop_vm', { vmid: 123 }, more).affects).toBe(expected)
})

test('a guest without a known backup is said to have none', () => {
  const { backupAt: _, ...rest } = base
  const world: World = { cluster: { nodes: [], guests: [rest] }, policy: shippedPolicy, now }
  const effects = [
    { kind: 'power', on: 'guest', action: 'stop', type: 'vm', target: { kind: 'guest', id: 'vm/123', vmid: 123 } },
  ] as const
  const verdict = { tier: 'red', rule: 'base', reason: '' } as const
  const card = describe({ toolName: 'stop_vm', effects, verdict }, world, now)
  expect(card.now).toBe('running for 8 d 4 h on pve, CPU 97 %, no backup known')
  expect(card.affects).toBe('No backup of it is known')
})

test('restarting a vital service says what it may cost and who stands on the node', () => {
  expect(cardOf('restart_service', { node: 'pve', service: 'corosync' })).toEqual({
    sentence: 'The service corosync on pve stops and starts again.',
    effect: { kind: 'power', on: 'service', action: 'restart' },
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

test.each([
  ['stop_vm', {}, {}, 'VM 123 "frigate" on pve shuts down cleanly and stays off.'],
  [
    'stop_vm',
    { force: true },
    {},
    'The power of VM 123 "frigate" on pve is cut and it stays off: what it has not saved is lost.',
  ],
  [
    'restart_container',
    { force: true },
    { type: 'ct' as const },
    'The power of CT 123 "frigate" on pve is cut and it starts again: what it has not saved is lost.',
  ],
  ['start_vm', {}, { status: 'stopped' as const }, 'VM 123 "frigate" on pve starts.'],
  ['start_vm', {}, {}, 'VM 123 "frigate" on pve runs already: nothing starts.'],
  ['restart_vm', {}, { status: 'stopped' as const }, 'VM 123 "frigate" on pve is stopped already and stays so.'],
  [
    'stop_vm',
    {},
    { status: 'paused' as const },
    'VM 123 "frigate" on pve is paused and cannot stop cleanly: nothing happens.',
  ],
  ['start_vm', {}, { status: 'unknown' as const }, 'VM 123 "frigate" on pve starts. Whether it runs now is not known.'],
])('%s %j of a guest %j, in words: %s', (toolName, input, more, expected) => {
  expect(cardOf(toolName, { vmid: 123, ...input }, more).sentence).toBe(expected)
})

test.each([
  ['wake_node', { node: 'agent1' }, 'A magic packet is sent to wake agent1.'],
  ['restart_service', { node: 'pve', service: 'nginx' }, 'The service nginx on pve stops and starts again.'],
  ['execute_ssh', { node: 'pve', command: 'journalctl -u "a b"' }, 'One command runs on pve: `journalctl -u "a b"`.'],
  ['get_node_status', { node: 'pve' }, 'The tool get_node_status runs once on pve.'],
  ['memory_write', { text: 'x' }, 'A text is added to the notes of today.'],
  ['memory_write', { text: 'x', path: 'SOUL.md', replaces: 'y' }, 'A part of SOUL.md becomes another text.'],
])('%s %j, in words: %s', (toolName, input, expected) => {
  expect(cardOf(toolName, input).sentence).toBe(expected)
})

test.each([
  [{ isHa: true }, 'managed by HA,'],
  [{ isHa: true, haState: 'migrate' }, 'managed by HA (migrate),'],
  [{ lock: 'backup' }, 'locked (backup),'],
  [{ status: 'unknown' as const }, 'not known: pve does not say whether it runs,'],
  [{ status: 'unknown' as const, node: 'agent1' }, 'not known: agent1 does not answer,'],
])('what %j is like now is said: %s', (more, expected) => {
  expect(cardOf('stop_vm', { vmid: 123 }, more).now).toContain(expected)
})

test('all reasons stand on the card', () => {
  const world: World = { cluster: { nodes: [], guests: [base] }, policy: shippedPolicy, now }
  const effects = [
    { kind: 'power', on: 'guest', action: 'stop', type: 'vm', target: { kind: 'guest', id: 'vm/123', vmid: 123 } },
  ] as const
  const verdict = { tier: 'red' as const, rule: 'forced', reason: 'One.', reasons: ['One.', 'Two.'] }
  const card = describe({ toolName: 'stop_vm', effects, verdict }, world, now)
  expect(card).toMatchObject({ reason: 'One.', reasons: ['One.', 'Two.'] })
})

test('there are sixty ways to deceive a reader at least', () => {
  expect(new Set(spoofs.map(({ value }) => value)).size).toBeGreaterThanOrEqual(60)
})

/** One line, with nothing in it that could not be seen. */
const seen = /^[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u3164\uffa0\u115f\u2800\u00a0\u3000]*$/u

test.each(spoofs)('a guest whose name is $what stays inside its quotes', (spoof) => {
  const { value } = spoof
  const state = { name: value, tags: [value, `group-${value}`], lock: value, haState: value }
  const card = cardOf('stop_vm', { vmid: 123 }, state)
  const { sentence = '' } = card
  for (const text of [sentence, card.now, card.then, card.affects]) {
    expect(text).toMatch(seen)
    expect(text).not.toMatch(/\S {3,}\S/)
  }
  const [, name = '', rest = ''] = /^VM 123 "([^"]*)"(.*)$/u.exec(sentence) ?? []
  const isCut = [...value].length > 64
  expect(rest).toBe(
    `${isCut ? ` and ${[...value].length - 64} more characters` : ''}${spoof.kind === 'mixed' ? ' (mixed letters)' : ''} on pve shuts down cleanly and stays off.`,
  )
  if (spoof.kind === 'hidden') for (const code of spoof.codes) expect(name).toContain(`⟨${code}⟩`)
  else if (!isCut) {
    const own = (char: string) =>
      /["⟨⟩]/.test(char) ? `⟨U+${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩` : char
    expect(name).toBe([...value].map(own).join(''))
  }
})

test('a command is quoted with marks that it cannot leave', () => {
  const { sentence } = cardOf('execute_ssh', { node: 'pve', command: "echo '`. It only reads.\u202e'" })
  expect(sentence).toBe("One command runs on pve: `echo '⟨U+0060⟩. It only reads.⟨U+202E⟩'`.")
})

test.each([
  ['reboot_node', 'The node pve reboots, and all that runs on it stops first.', /→ offline → online/],
  ['shutdown_node', 'The node pve shuts down and stays off, and all that runs on it stops first.', /→ offline, until/],
])('%s says what becomes of the node and its guests', (toolName, sentence, then) => {
  expect(cardOf(toolName, { node: 'pve' })).toMatchObject({
    sentence,
    then: expect.stringMatching(then),
    affects: '1 guest runs on pve',
  })
})
