import type { Card } from 'protocol'
import { expect, test } from 'vitest'
import { warningsOf } from './warnings.ts'

const card = (name: string, toolInput: Record<string, unknown> = { vmid: 142 }, by = 'demo') =>
  ({
    target: { kind: 'guest', id: 'vm/142', name, vmid: 142 },
    toolInput,
    requestedBy: { kind: 'mcp', name: by },
  }) as unknown as Card
const guests = [
  { vmid: 141, name: 'pbs' },
  { vmid: 142, name: 'win11' },
]

test.each([
  ['a plain card has none', card('win11'), []],
  [
    'a hidden character',
    card('win\u200b11'),
    ['The name has a character you cannot see. Its code stands in its place.'],
  ],
  [
    'a hidden character that makes a lookalike',
    card('pbs\u200b'),
    ['The name has a character you cannot see and reads like 141 pbs. The number decides: this is 142.'],
  ],
  ['another guest with the same name', card('pbs'), ['The name reads like 141 pbs. The number decides: this is 142.']],
  ['mixed scripts', card('w\u0456n11'), ['The name mixes letters that look alike.']],
  [
    'a hidden character deep in the arguments',
    card('win11', { list: [{ command: 'ls\u202e' }] }),
    ['The call has a character you cannot see. Its code stands in its place.'],
  ],
  [
    'the layout of a file whose difference is shown',
    { ...card('win11', { edits: [{ oldText: 'a:\n      - "1:1"\n\tb' }] }), diff: [] },
    [],
  ],
  [
    'a hidden character in a file whose difference is shown',
    { ...card('win11', { edits: [{ oldText: '      - \u202e' }] }), diff: [] },
    ['The call has a character you cannot see. Its code stands in its place.'],
  ],
  [
    'a hidden character in the asker',
    card('win11', {}, 'me\u200d'),
    ['The name of who asks has a character you cannot see.'],
  ],
])('%s', (_name, made, expected) => {
  expect(warningsOf(made, guests)).toEqual(expected)
})
