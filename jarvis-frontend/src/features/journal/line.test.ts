import { expect, test } from 'vitest'
import { lineOf } from './line.ts'

const entry = (kind: string, body: unknown) => ({ seq: 1, at: 0, kind, body, hash: 'ab' })
const call = { toolName: 'stop_vm', toolInput: { node: 'pve', vmid: 103 }, tier: 'red' }

test.each([
  [
    'a call that waits',
    'call',
    { ...call, requestedBy: { kind: 'chat', name: 'anthropic/claude' } },
    { tier: 'red', by: 'claude', call: 'stop_vm', args: 'pve  103', outcome: 'waits for a decision' },
  ],
  [
    'a call of an MCP client, which failed',
    'call',
    { ...call, tier: 'green', outcome: 'failed', requestedBy: { kind: 'mcp', name: 'desktop', token: 'laptop' } },
    { by: 'MCP laptop', outcome: 'failed', end: 'failed' },
  ],
  ['a refusal', 'refusal', { ...call, tier: 'black', rule: 'not_run' }, { outcome: 'nothing was run' }],
  [
    'a refusal by a rule',
    'refusal',
    { ...call, tier: 'black', rule: 'protected_node' },
    { outcome: 'nothing was run: protected node' },
  ],
  [
    'a decision with its note',
    'decision',
    { toolName: 'stop_vm', decision: 'denied', note: 'not during the film', by: 'operator' },
    { by: 'operator', outcome: 'denied: not during the film' },
  ],
  ['a profile', 'policy', { change: 'profile', to: 'lockdown', by: 'cli' }, { by: 'cli', outcome: 'profile lockdown' }],
  ['a token', 'token', { change: 'created', name: 'laptop', by: 'operator' }, { args: 'laptop', outcome: 'created' }],
  ['a kind of a later version', 'dream', { change: 'seen' }, { word: 'Dream', outcome: 'seen' }],
  ['a body that is no JSON', 'call', '{"broken', { call: 'unreadable', args: '{"broken', end: 'failed' }],
  ['a body of nothing', 'call', null, { call: 'unreadable' }],
])('%s is one line', (_, kind, body, line) => {
  expect(lineOf(entry(kind, body))).toMatchObject(line)
})
