import type { AgentBody } from 'protocol'
import { expect, test } from 'vitest'
import { agentBodyOf } from './agent-body.ts'

function read(fields: Record<string, string>, before: AgentBody = {}, isMain = true) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return agentBodyOf(form, before, isMain)
}

test.each<[name: string, fields: Record<string, string>, before: AgentBody, body: object]>([
  ['an empty field is absent', { name: ' ', about: 'Films.' }, {}, { about: 'Films.' }],
  ['a temperature is a number, 0 too', { temperature: '0' }, {}, { temperature: 0 }],
  ['the most tokens are a number', { maxTokens: '4096' }, {}, { maxTokens: 4096 }],
  ['tools are words', { allow: 'get_*, restart_service' }, {}, { tools: { allow: ['get_*', 'restart_service'] } }],
  ['a list that was empty stays empty', { allow: '' }, { tools: { allow: [] } }, { tools: { allow: [] } }],
  ['a list that is emptied is absent', { skills: '' }, { skills: ['net*'] }, {}],
  [
    'limits of a day and of a run are apart',
    { 'day usd': '1.5', 'run tokens': '9000' },
    {},
    { budget: { usd: 1.5, run: { tokens: 9000 } } },
  ],
  ['bindings are JSON', { bindings: '[{"door": "v1"}]' }, {}, { bindings: [{ door: 'v1' }] }],
])('%s', (_name, fields, before, body) => {
  expect(read(fields, before)).toEqual({ body })
})

test('the main agent has no ceiling and no memory of its own', () => {
  const fields = { ceiling: 'yellow', memory: 'own' }
  expect(read(fields, {}, true)).toEqual({ body: {} })
  expect(read(fields, {}, false)).toEqual({ body: fields })
})

test('bindings that are not JSON are a problem in words', () => {
  expect(read({ bindings: 'mcp' })).toEqual({ problem: expect.stringContaining('not JSON') })
})
