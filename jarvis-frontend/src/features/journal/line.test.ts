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
    'a call on a guest, which has its name beside its number',
    'call',
    { ...call, target: { kind: 'guest', id: 'vm/103', vmid: 103, name: 'nas' } },
    { args: 'pve  103 (nas)' },
  ],
  [
    'a call on a node, whose name is its argument',
    'call',
    { ...call, toolInput: { node: 'pve' }, target: { kind: 'node', id: 'node/pve', name: 'pve' } },
    { args: 'pve' },
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
  [
    'the workbench',
    'policy',
    { change: 'workbench', from: { web: {} }, to: { web: {}, exec: true }, by: 'Ann' },
    { by: 'Ann', outcome: 'workbench: exec' },
  ],
  ['a profile', 'policy', { change: 'profile', to: 'lockdown', by: 'cli' }, { by: 'cli', outcome: 'profile lockdown' }],
  [
    'a change that was kept',
    'change',
    { change: 'kept', toolUseId: 'tu_1', target: { id: 'ct/122' }, by: 'mira' },
    { word: 'Change', by: 'mira', args: 'ct/122', outcome: 'kept: it does not go back by itself any more' },
  ],
  [
    'one that could not be taken back',
    'change',
    { change: 'not_undone', toolUseId: 'tu_1', by: 'tu_2', why: 'It is 30 now.' },
    { by: '', outcome: 'not taken back: It is 30 now.', end: 'failed' },
  ],
  [
    'one that did not go back by itself',
    'change',
    { change: 'not_gone_back', toolUseId: 'tu_1', by: 'jarvis' },
    { by: 'JARVIS', outcome: 'could not go back by itself', end: 'failed' },
  ],
  ['a token', 'token', { change: 'created', name: 'laptop', by: 'operator' }, { args: 'laptop', outcome: 'created' }],
  [
    'a session that was renamed',
    'session',
    { change: 'renamed', sessionId: 'ses_1', title: 'Monday', by: 'operator' },
    { word: 'Session', args: 'ses_1', outcome: 'renamed “Monday”' },
  ],
  [
    'one that was archived',
    'session',
    { change: 'archived', title: 'Monday' },
    { args: 'Monday', outcome: 'archived' },
  ],
  ['one that is gone', 'session', { change: 'deleted', sessionId: 'ses_1' }, { args: 'ses_1', outcome: 'deleted' }],
  [
    'a look at an address',
    'setup',
    { change: 'probed', url: 'https://pve.lan:8006', ok: false },
    { word: 'Setup', args: 'https://pve.lan:8006', outcome: 'looked at, no answer' },
  ],
  [
    'a token that was tried',
    'setup',
    { change: 'tested', urls: ['https://pve.lan:8006'], tokenId: 'root@pam!j', ok: true },
    { args: 'https://pve.lan:8006', outcome: 'token root@pam!j tried: it works' },
  ],
  [
    'a model that was tried',
    'setup',
    { change: 'model_tested', provider: 'openai', model: 'qwen3', baseUrl: 'http://gpu/v1', verdict: 'key_refused' },
    { args: 'openai/qwen3 http://gpu/v1', outcome: 'tried: key refused' },
  ],
  [
    'a look at a server’s models',
    'setup',
    { change: 'model_tested', provider: 'openai', baseUrl: 'http://gpu/v1', verdict: 'unknown_model' },
    { args: 'openai http://gpu/v1', outcome: 'models listed' },
  ],
  [
    'an attached tool’s tier',
    'mcp_server',
    { change: 'tier', server: 'files', toolName: 'files__read', from: 'red', to: 'green' },
    { word: 'MCP', call: 'files__read', args: 'files', outcome: 'tier green' },
  ],
  [
    'limits',
    'settings',
    { change: 'limits', from: { ramRatio: [0.9, 0.97] }, to: { ramRatio: [0.8, 0.97] } },
    { args: 'ram', outcome: 'limits' },
  ],
  [
    'a sign-in',
    'sign_in',
    { what: 'signed_in', by: 'operator', address: '::1', client: 'Mozilla/5.0' },
    { args: '', outcome: 'signed in from ::1' },
  ],
  ['a server', 'mcp_server', { change: 'set', server: 'files' }, { args: 'files', outcome: 'attached or changed' }],
  ['a shell', 'terminal', { event: 'opening', node: 'pve' }, { args: 'pve', outcome: 'opening' }],
  ['a kind of a later version', 'dream', { change: 'seen' }, { word: 'Dream', outcome: 'seen' }],
  ['a body that is no JSON', 'call', '{"broken', { call: 'unreadable', args: '{"broken', end: 'failed' }],
  ['a body of nothing', 'call', null, { call: 'unreadable' }],
])('%s is one line', (_, kind, body, line) => {
  expect(lineOf(entry(kind, body))).toMatchObject(line)
})
