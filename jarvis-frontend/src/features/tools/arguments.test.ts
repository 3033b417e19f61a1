import { expect, test } from 'vitest'
import { argumentsOf, commandOf, effectWords, givenOf, inputOf, inputsOf, isWhole, problemIn } from './arguments.ts'

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
  [{ set: { cores: 4 }, remove: ['a b'] }, '/t set={"cores":4} remove=["a b"]'],
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

test.each([
  ['set: memory must be MiB, a whole number from 16.', { key: 'memory', text: 'must be MiB, a whole number from 16.' }],
  [
    'set: all of it is so already: nothing needs to be done.',
    { text: 'all of it is so already: nothing needs to be done.' },
  ],
  ['vmid: must be at least 100.', { key: 'vmid', text: 'must be at least 100.' }],
  ['edits.0.oldText: must not be empty.', { key: 'edits', text: 'must not be empty.' }],
  ['There is no VM 999.', { text: 'There is no VM 999.' }],
])('%s', (reason, said) => expect(problemIn(reason, ['mem', 'memory', 'vmid', 'edits'])).toEqual(said))

const whole = argumentsOf({
  inputSchema: {
    properties: {
      command: { type: 'array', items: { type: 'string' } },
      set: { type: 'object', additionalProperties: { type: ['string', 'number'] } },
      edits: { type: 'array', items: { type: 'object' } },
      content: { type: 'string', maxLength: 100_000 },
      lines: { type: 'integer', default: 100 },
      notify: { type: 'boolean', default: true },
    },
    required: ['command', 'lines'],
  },
})

test('every argument of a schema has a field, and what a field holds becomes the input and back', () => {
  expect(Object.fromEntries(whole.map(({ name, kind }) => [name, kind]))).toEqual({
    command: 'list',
    set: 'json',
    edits: 'json',
    content: 'long',
    lines: 'number',
    notify: 'flag',
  })
  const given = {
    command: 'uname\n-a',
    set: '{"cores":4}',
    edits: '[{"oldText":"a"}]',
    content: 'two\nlines',
    lines: '7',
    notify: false,
  }
  const input = {
    command: ['uname', '-a'],
    set: { cores: 4 },
    edits: [{ oldText: 'a' }],
    content: 'two\nlines',
    lines: 7,
    notify: false,
  }
  expect(inputOf(whole, given)).toEqual(input)
  expect(givenOf(whole, input)).toEqual(given)
  expect(inputOf(whole, { set: '{cores', lines: '1e3' })).toEqual({ set: '{cores', lines: '1e3' })
  expect(givenOf(whole, { command: 'ls', constructor: 1 })).toEqual({ command: 'ls' })
})

test('a call is whole when every argument is given that has no default', () => {
  expect(isWhole(whole, {})).toBe(false)
  expect(isWhole(whole, { command: ['ls'] })).toBe(true)
})

test('inputs of a runbook have the same fields, with the names of the cluster', () => {
  const inputs = [
    { name: 'guest', type: 'guest', isRequired: true },
    { name: 'hot', type: 'number', isRequired: false, default: 80, about: 'From here on, °C.' },
    { name: 'dry', type: 'boolean', isRequired: false, default: false },
  ] as const
  expect(inputsOf(inputs)).toMatchObject([
    { name: 'guest', kind: 'number', known: 'guest', isRequired: true },
    { name: 'hot', kind: 'number', default: '80', description: 'From here on, °C.' },
    { name: 'dry', kind: 'flag', default: false },
  ])
})
