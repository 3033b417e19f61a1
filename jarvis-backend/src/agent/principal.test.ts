import { expect, test } from 'vitest'
import type { Origin } from './origin.ts'
import { principalOf, rightsOf } from './principal.ts'

const message = { messageId: 'msg_1', text: '/help', by: 'ana' }
const line = { ok: true, toolName: 'help', toolInput: {} } as const

test.each<[string, Origin, object]>([
  ['a chat asks under its model', { kind: 'chat', ...message }, { kind: 'chat', name: 'demo' }],
  ['a command asks under its operator', { kind: 'command', line, ...message }, { kind: 'command', name: 'ana' }],
  [
    'a client asks under its own name, with its token',
    { kind: 'mcp', client: 'probe', token: 'laptop' },
    { kind: 'mcp', name: 'probe', token: 'laptop' },
  ],
  ['a client of an older release has no token', { kind: 'mcp', client: 'probe' }, { kind: 'mcp', name: 'probe' }],
])('%s', (_, origin, principal) => {
  expect(principalOf(origin, 'demo')).toStrictEqual(principal)
})

test.each(['job', 'constructor', ''])(
  'the unknown kind %j has the rights of a foreign client, and shares no grant',
  (kind) => {
    expect(rightsOf({ kind })).toEqual({ ...rightsOf({ kind: 'mcp' }), sharesGrants: false })
  },
)
