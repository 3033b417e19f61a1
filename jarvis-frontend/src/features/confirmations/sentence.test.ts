import type { Card } from 'protocol'
import { expect, test } from 'vitest'
import { effectOf } from '../../../test/scenery/effects.ts'
import { actOf, commandLine, exactInput, sentenceText } from './sentence.ts'

const target: Card['target'] = {
  kind: 'guest',
  id: 'vm/123',
  name: 'frigate',
  node: 'pve',
  vmid: 123,
  type: 'vm',
  status: 'running',
}
const act = (
  toolName: string,
  toolInput: Record<string, unknown> = { vmid: 123 },
  change: Partial<Card['target']> = {},
) => actOf({ toolName, toolInput, target: { ...target, ...change }, ...effectOf(toolName, toolInput) })

test.each([
  ['restart_vm', {}, 'Restart VM 123 frigate on pve?', 'restart 123'],
  ['stop_vm', {}, 'Stop VM 123 frigate on pve?', 'stop 123'],
  ['start_container', { type: 'ct' as const }, 'Start CT 123 frigate on pve?', 'start 123'],
])('%s asks with the id before the name', (tool, change, sentence, approve) => {
  expect(sentenceText(act(tool, undefined, change).ask)).toBe(sentence)
  expect(act(tool, undefined, change).approve).toBe(approve)
})

test('force is its own sentence and wants the id typed', () => {
  const forced = act('stop_vm', { vmid: 123, force: true })
  expect(sentenceText(forced.ask)).toBe('Cut the power of VM 123 frigate on pve?')
  expect(forced).toMatchObject({ approve: 'cut power of 123', typed: '123' })
  expect(sentenceText(act('restart_vm', { vmid: 123, force: true }).ask)).toBe(
    'Cut the power of VM 123 frigate on pve and start it again?',
  )
})

test('a call without force wants nothing typed', () => {
  expect(act('stop_vm').typed).toBeUndefined()
})

test.each([
  ['restart_service', { node: 'pve', service: 'corosync' }, 'Restart service corosync on pve?', 'restart corosync'],
  ['execute_ssh', { node: 'pve', command: 'reboot' }, 'Run a command on pve?', 'run on pve'],
  ['wake_node', { node: 'pve' }, 'Wake node pve?', 'wake pve'],
  ['some_tool', {}, 'Run some_tool on pve?', 'run some_tool'],
])('%s', (tool, input, sentence, approve) => {
  const at = { kind: 'node', id: 'node/pve', node: 'pve', ...('service' in input && { name: input.service }) } as const
  const made = actOf({ toolName: tool, toolInput: input, target: at, ...effectOf(tool, input) })
  expect(sentenceText(made.ask)).toBe(sentence)
  expect(made.approve).toBe(approve)
})

test('a deed is said as it is in every tense, and a command on a guest is one', () => {
  const asked = { toolName: 'move_it', toolInput: {}, target, effect: { kind: 'data', on: 'guest' } }
  const made = actOf({ ...asked, deed: 'move 123 to agent', sentence: 'VM 123 moves.' })
  expect(made).toMatchObject({ approve: 'move 123 to agent', what: 'VM 123 moves' })
  expect(made.ask).toEqual(['Move VM ', { id: '123' }, ' ', { value: 'frigate' }, ' on ', 'pve', ' to agent', '?'])
  expect([made.doing, made.did, made.didNot].map(sentenceText)).toEqual([
    'Under way: move 123 to agent',
    'Done: move 123 to agent',
    'Did not move 123 to agent',
  ])
  expect(sentenceText(actOf({ ...asked, deed: 'move 123 to agent' }).ask)).toBe('Move VM 123 frigate on pve to agent?')
  const run = actOf({ ...asked, effect: { kind: 'execute', on: 'guest' }, deed: 'run a program in 123' })
  expect(run.approve).toBe('run a program in 123')
})

test('a call on a storage names it, and its node where it has one', () => {
  const asked = { toolName: 'prune_backups', toolInput: {}, effect: { kind: 'destroy', on: 'storage' } }
  const at = { kind: 'storage', id: 'storage/tank', name: 'tank' } as const
  expect(sentenceText(actOf({ ...asked, target: at }).ask)).toBe('Run prune_backups on storage tank?')
  const local = { ...at, id: 'storage/pve/tank', node: 'pve' }
  expect(sentenceText(actOf({ ...asked, target: local }).ask)).toBe('Run prune_backups on storage tank on pve?')
})

test('a name is a value, whatever it holds', () => {
  expect(act('stop_vm', undefined, { name: '<b>x</b> on pve?' }).ask).toContainEqual({ value: '<b>x</b> on pve?' })
  expect(sentenceText(act('stop_vm', undefined, { name: 'pbs\u200b' }).ask)).toBe('Stop VM 123 pbs⟨U+200B⟩ on pve?')
})

test('past tenses state facts', () => {
  const made = act('stop_vm')
  expect(sentenceText(made.doing)).toBe('Stopping VM 123 frigate on pve')
  expect(sentenceText(made.did)).toBe('Stopped VM 123 frigate on pve')
  expect(sentenceText(made.didNot)).toBe('Did not stop VM 123 frigate')
  expect(sentenceText(made.failed)).toBe('VM 123 frigate did not stop')
})

test('the exact call has a fixed order of keys and is complete', () => {
  expect(exactInput({ force: true, zeta: 'z', node: 'pve', alpha: [1], vmid: 105 })).toBe(
    '{"vmid": 105, "node": "pve", "force": true, "alpha": [1], "zeta": "z"}',
  )
})

test('a command line quotes what needs it', () => {
  expect(commandLine('execute_ssh', { node: 'pve', command: 'ps -eo "pcpu"' })).toBe(
    '/execute_ssh node=pve command="ps -eo \\"pcpu\\""',
  )
  expect(commandLine('stop_vm', { vmid: 105, force: true })).toBe('/stop_vm vmid=105 force=true')
})

const file = (path: string, change: 'added' | 'changed' | 'deleted' | 'mode') => ({
  path,
  change,
  added: 1,
  removed: 1,
  lines: ['+a'],
  left: 0,
})
test.each([
  [[file('compose/a.yml', 'changed')], 'Change compose/a.yml?', 'Changed compose/a.yml'],
  [[file('compose/a.yml', 'added')], 'Make compose/a.yml?', 'Made compose/a.yml'],
  [[file('compose/a.yml', 'deleted')], 'Delete compose/a.yml?', 'Deleted compose/a.yml'],
  [
    [file('compose/caddy/a', 'added'), file('compose/caddy/b/c', 'deleted')],
    'Change 2 files in compose/caddy?',
    'Changed 2 files in compose/caddy',
  ],
  [
    [file('compose/a', 'mode'), file('compose/b', 'changed')],
    'Change 2 files in compose?',
    'Changed 2 files in compose',
  ],
])('a card with a difference names the files that it shows', (diff, ask, did) => {
  const [effect, sentence] = [{ kind: 'data', on: 'path' } as const, 'One file becomes what the command left.']
  const at = { kind: 'path', id: 'compose' } as unknown as Card['target']
  const made = actOf({ toolName: 'x', toolInput: {}, target: at, effect, sentence, deed: 'apply one file', diff })
  expect(sentenceText(made.ask)).toBe(ask)
  expect(sentenceText(made.did)).toBe(did)
  expect(made.approve).toBe('apply one file')
})

test.each([
  ['restart', 'reboot agent', 'Reboot node agent, with all that runs on it?', 'Rebooted node agent'],
  ['stop', 'shut agent down', 'Shut down node agent, with all that runs on it?', 'Shut down node agent'],
] as const)('a node asks by its verb: %s', (action, deed, ask, did) => {
  const at = { kind: 'node', id: 'agent', node: 'agent' } as unknown as Card['target']
  const effect = { kind: 'power', on: 'node', action } as const
  const made = actOf({ toolName: 'x', toolInput: {}, target: at, effect, sentence: 'The node agent reboots.', deed })
  expect(sentenceText(made.ask)).toBe(ask)
  expect(sentenceText(made.did)).toBe(did)
  expect(made.approve).toBe(deed)
})
