import { expect, test } from 'vitest'
import { faultIn } from './json-schema.ts'

const guest = {
  type: 'object',
  properties: {
    vmid: { type: 'integer', minimum: 100 },
    name: { type: ['string', 'null'], maxLength: 4 },
    state: { enum: ['running', 'stopped'] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    disk: { anyOf: [{ type: 'number' }, { $ref: '#/$defs/size' }] },
    below: { $ref: '#' },
    kind: { oneOf: [{ const: 'vm' }, { const: 'ct' }] },
    net: { allOf: [{ required: ['ip'] }, { properties: { ip: { type: 'string' } } }] },
  },
  required: ['vmid'],
  additionalProperties: false,
  $defs: { size: { type: 'object', required: ['gib'] } },
}

test.each<[value: unknown, fault: string | undefined]>([
  [{ vmid: 101 }, undefined],
  [{ vmid: 101, name: null, state: 'running', tags: ['a', 'b'], disk: 3, kind: 'ct', net: { ip: '::1' } }, undefined],
  [{ vmid: 101, below: { vmid: 102, disk: { gib: 8 } } }, undefined],
  [[], '$ is array, not object.'],
  [{}, '$.vmid is missing.'],
  [{ vmid: 1.5 }, '$.vmid is number, not integer.'],
  [{ vmid: 99 }, '$.vmid is 99, not within its limits.'],
  [{ vmid: 101, name: 'abcde' }, '$.name is 5, not within its limits.'],
  [{ vmid: 101, state: 'paused' }, '$.state is not in its enum.'],
  [{ vmid: 101, tags: ['a', 7] }, '$.tags[1] is number, not string.'],
  [{ vmid: 101, tags: ['a', 'b', 'c'] }, '$.tags is 3, not within its limits.'],
  [{ vmid: 101, disk: {} }, '$.disk is none of what it may be.'],
  [{ vmid: 101, below: {} }, '$.below.vmid is missing.'],
  [{ vmid: 101, kind: 'node' }, '$.kind is not exactly one of what it may be.'],
  [{ vmid: 101, net: {} }, '$.net.ip is missing.'],
  [{ vmid: 101, extra: 1 }, '$.extra must not be there.'],
  [JSON.parse('{"vmid": 101, "__proto__": 1}'), '$.__proto__ must not be there.'],
])('%j by the schema of a guest', (value, fault) => {
  expect(faultIn(value, guest)).toBe(fault)
})

test.each<[schema: Record<string, unknown>, fault: string | undefined]>([
  [{ $ref: '#' }, 'The schema is too much to check.'],
  [{ $ref: '#/$defs/none' }, 'The schema has no #/$defs/none.'],
  [
    {
      $defs: { a: { allOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } },
      $ref: '#/$defs/a',
    },
    'The schema is too much to check.',
  ],
  [
    { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
    '$ is none of what it may be.',
  ],
  [{ properties: { a: { pattern: '^(a+)+$' } } }, undefined],
])('a schema that would hold the server up: %j', (schema, fault) => {
  expect(faultIn({ a: `${'a'.repeat(60)}!` }, schema)).toBe(fault)
})
