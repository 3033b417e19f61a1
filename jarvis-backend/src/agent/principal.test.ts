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
  [
    'a job asks under its own name, with its id',
    { kind: 'job', jobId: 'job_1', name: 'nightly', slot: 5, by: 'ana', call: line },
    { kind: 'job', name: 'nightly', job: 'job_1' },
  ],
  [
    'a job that a client asked for has the client’s token too',
    { kind: 'job', jobId: 'job_1', name: 'nightly', slot: 5, by: 'ana', token: 'laptop', call: line },
    { kind: 'job', name: 'nightly', job: 'job_1', token: 'laptop' },
  ],
  ['a client of an older release has no token', { kind: 'mcp', client: 'probe' }, { kind: 'mcp', name: 'probe' }],
])('%s', (_, origin, principal) => {
  expect(principalOf(origin, 'demo')).toEqual(principal)
})

test.each(['plug-in', 'constructor', ''])(
  'the unknown kind %j has the rights of a foreign client, and shares no grant',
  (kind) => {
    expect(rightsOf({ kind })).toEqual({ ...rightsOf({ kind: 'mcp' }), sharesGrants: false })
  },
)

test('a job that a client asked for uses no attached server, as the client may not', () => {
  expect(rightsOf({ kind: 'job' }).mayUseAttached).toBe(true)
  expect(rightsOf({ kind: 'job', token: 'laptop' }).mayUseAttached).toBe(false)
})
