import type { Principal } from 'protocol'
import { expect, test } from 'vitest'
import type { Scope } from '../gate/index.ts'
import { callKey, grantKey, grantKeys, scopeKey } from './keys.ts'

const target = { kind: 'guest', id: 'vm/103', name: 'truenas' } as const
const keyOf = (requestedBy: Principal) => grantKey('key', { rule: 'base', target, requestedBy })

test.each<[Principal, string]>([
  [{ kind: 'chat', name: 'demo' }, 'e1fff8656e705cfe68b62be6c21db3767eca3874167af5a3cf5d6fc3a6c213a3'],
  [{ kind: 'command', name: 'ana' }, '847ed1a0b9c71a2ca5fd4e1df24703426356dfa895a10dbd1eccc3339ca8f476'],
  [{ kind: 'mcp', name: 'probe', token: 'laptop' }, 'b6d873ee9e14c036c22d5506466b157313aedb9e3d612d61272a5289f43a59f0'],
])('a grant that was stored for %j still covers its calls', (requestedBy, key) => {
  expect(keyOf(requestedBy)).toBe(key)
  expect(keyOf({ ...requestedBy, name: 'renamed' })).toBe(key)
})

test('a grant for a principal of a later kind covers no other of that kind', () => {
  expect(keyOf({ kind: 'plug-in', name: 'nightly' })).toBe(keyOf({ kind: 'plug-in', name: 'nightly' }))
  expect(keyOf({ kind: 'plug-in', name: 'nightly' })).not.toBe(keyOf({ kind: 'plug-in', name: 'weekly' }))
})

test('a grant for a job goes by its id, whatever it is called, and serves no other job', () => {
  expect(keyOf({ kind: 'job', name: 'nightly', job: 'job_1' })).toBe(
    keyOf({ kind: 'job', name: 'renamed', job: 'job_1' }),
  )
  expect(keyOf({ kind: 'job', name: 'nightly', job: 'job_1' })).not.toBe(
    keyOf({ kind: 'job', name: 'nightly', job: 'job_2' }),
  )
})

const scope = { of: 'files', id: 'path/compose/a', at: '/srv/compose/a', words: 'changes of files' } as const
const card = { rule: 'change_in_root', target: { kind: 'none', id: 'path/compose/a/x.yml' } } as const
const chat: Principal = { kind: 'chat', name: 'demo' }
const made = grantKey(scopeKey(scope, 'ses_1'), { ...card, requestedBy: chat })
const covers = (by: Principal, { sessionId = 'ses_1', rule = card.rule as string, of = scope as Scope } = {}) =>
  grantKeys(scopeKey(of, sessionId), { ...card, rule, requestedBy: by }).includes(made)

test('a grant for a folder covers another file, whatever the model and the words', () => {
  const target = { kind: 'none', id: 'path/compose/a/y.yml' } as const
  const keys = grantKeys(scopeKey({ ...scope, words: 'other' }, 'ses_1'), {
    rule: card.rule,
    target,
    requestedBy: { ...chat, name: 'other' },
  })
  expect(keys).toContain(made)
})

test.each<[string, boolean]>([
  ['another person', covers({ ...chat, person: 'per_ann' })],
  ['another agent', covers({ ...chat, agent: 'coder' })],
  ['an agent that it asks', covers({ ...chat, agent: 'coder', for: 'main' })],
  ['what a person types', covers({ kind: 'command', name: 'operator' })],
  ['a client', covers({ kind: 'mcp', name: 'demo', token: 'laptop' })],
  ['a job', covers({ kind: 'job', name: 'nightly', job: 'job_1' })],
  ['another conversation', covers(chat, { sessionId: 'ses_2' })],
  ['what another rule asks about', covers(chat, { rule: 'risky_arguments' })],
  ['effects of another kind', covers(chat, { of: { ...scope, of: 'clicks' } })],
  ['a folder beside it', covers(chat, { of: { ...scope, id: 'path/compose/ab' } })],
  ['the folder above it', covers(chat, { of: { ...scope, id: 'path/compose' } })],
  ['a root of that name elsewhere', covers(chat, { of: { ...scope, at: '/srv/other/a' } })],
])('a grant for a folder does not cover %s', (_, isCovered) => {
  expect(isCovered).toBe(false)
})

test('a grant for a folder has the key of no call', () => {
  const key = callKey({ toolName: 'write_file', input: { ...scope, sessionId: 'ses_1' }, target: card.target })
  expect(grantKeys(key, { ...card, requestedBy: chat })).not.toContain(made)
})
