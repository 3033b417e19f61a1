import { expect, test } from 'vitest'
import { argumentsOf, commandOf, effectWords, inputOf } from './arguments.ts'

const tool = {
  name: 'execute_ssh',
  description: '',
  tier: 'yellow' as const,
  inputSchema: {
    properties: {
      force: { type: 'boolean' },
      vmid: { type: 'integer', minimum: 100, maximum: 999_999_999 },
      node: { type: 'string', minLength: 1, maxLength: 63 },
      period: { enum: ['day', 'week'] },
      lines: { type: 'integer', minimum: 1, maximum: 9_007_199_254_740_991 },
    },
    required: ['node'],
  },
}

test('arguments are read from a schema, those that must be given first', () => {
  expect(argumentsOf(tool).map(({ name, kind, limits }) => [name, kind, limits])).toEqual([
    ['node', 'text', 'text, 1 to 63 characters'],
    ['force', 'flag', 'yes or no'],
    ['vmid', 'number', 'number, 100 to 999999999'],
    ['period', 'choice', 'one of day, week'],
    ['lines', 'number', 'number, from 1'],
  ])
})

test('what is typed becomes the input, and what is empty is left out', () => {
  const list = argumentsOf(tool)
  expect(inputOf(list, { node: 'pve', vmid: '103', force: false, period: '' })).toEqual({ node: 'pve', vmid: 103 })
  expect(inputOf(list, { vmid: 'many' })).toEqual({ vmid: 'many' })
})

test.each([
  [{ vmid: 103, force: true }, '/t vmid=103 force=true'],
  [{ command: 'df -h "a\\b"' }, '/t command="df -h \\"a\\\\b\\""'],
  [{ vmid: '103' }, '/t vmid="103"'],
  [{}, '/t'],
  [{ text: 'two\nlines' }, undefined],
  [{ share: 0.5 }, undefined],
])('%j is the line %s', (input, line) => {
  expect(commandOf('t', input)).toBe(line)
})

test('what a tool may do is said once, without what nobody declared', () => {
  const effects = [
    { kind: 'power', on: 'guest', action: 'stop' },
    { kind: 'power', on: 'guest', action: 'stop' },
    { kind: 'unknown', on: 'node' },
    { kind: 'data', on: 'file' },
  ] as const
  expect(effectWords({ effects })).toBe('power on a guest (stop), data on a file')
  expect(effectWords({})).toBe('')
})
