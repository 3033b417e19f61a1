import { readAs, type ToolInput } from 'protocol'
import { expect, test } from 'vitest'
import { faithful } from '../../calls/faithful.ts'
import { readAttachedSchema } from './schema.ts'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const accepts = (schema: object, input: object) => readAttachedSchema(schema).input.safeParse(input).success

test.each<[string, object, object, boolean]>([
  ['what it asks for', object({ a: { type: 'string' } }, { required: ['a'] }), { a: 'x' }, true],
  ['nothing where something is asked for', object({ a: { type: 'string' } }, { required: ['a'] }), {}, false],
  ['another type', object({ a: { type: 'integer' } }), { a: '5' }, false],
  ['a value that is not listed', object({ a: { enum: ['b', 'c'] } }), { a: 'd' }, false],
  [
    'a wrong value deep inside',
    object({ a: { type: 'array', items: object({ b: { type: 'number' } }) } }),
    { a: [{ b: '1' }] },
    false,
  ],
  ['an unknown argument, of which nothing is said', object({ a: {} }), { a: 1, z: 1 }, false],
  ['an unknown argument, which is forbidden', object({ a: {} }, { additionalProperties: false }), { z: 1 }, false],
  ['an unknown argument, which is welcome', object({ a: {} }, { additionalProperties: true }), { z: 1 }, true],
  ['an unknown argument of a welcome kind', object({}, { additionalProperties: { type: 'string' } }), { z: 's' }, true],
  ['an unknown argument of another kind', object({}, { additionalProperties: { type: 'string' } }), { z: 1 }, false],
  [
    'what a reference asks for',
    object({ a: { $ref: '#/$defs/n' } }, { $defs: { n: { type: 'number' } } }),
    { a: 1 },
    true,
  ],
  [
    'what a reference forbids',
    object({ a: { $ref: '#/$defs/n' } }, { $defs: { n: { type: 'number' } } }),
    { a: 'x' },
    false,
  ],
  [
    'one of several shapes',
    { anyOf: [object({ a: {} }, { required: ['a'] }), object({ b: {} }, { required: ['b'] })] },
    { b: 1 },
    true,
  ],
  [
    'an argument called pattern',
    object({ pattern: { type: 'string' } }, { required: ['pattern'] }),
    { pattern: '*.ts' },
    true,
  ],
  ['an argument called pattern, of another type', object({ pattern: { type: 'string' } }), { pattern: 5 }, false],
])('%s', (_what, schema, input, isAccepted) => {
  expect(accepts(schema, input)).toBe(isAccepted)
})

const mode = { type: 'string', default: 'fast' }
test.each<[string, object, object, object]>([
  ['is filled', object({ mode }, { required: ['mode'] }), {}, { mode: 'fast' }],
  ['gives way to what is given', object({ mode }, { required: ['mode'] }), { mode: 'slow' }, { mode: 'slow' }],
  ['of a field that is not required is left to the server', object({ mode }), {}, {}],
  [
    'is filled inside',
    object({ a: { type: 'array', items: object({ mode }, { required: ['mode'] }) } }),
    { a: [{}, { mode: 'slow' }] },
    { a: [{ mode: 'fast' }, { mode: 'slow' }] },
  ],
  [
    'is filled where a reference leads to it',
    object(
      { from: mode, to: { $ref: '#/properties/from' }, last: { $ref: '#/$defs/mode', default: 'slow' } },
      { required: ['from', 'to', 'last'], $defs: { mode } },
    ),
    {},
    { from: 'fast', to: 'fast', last: 'slow' },
  ],
  [
    'is filled in what a reference leads to, and under names that the schema leaves open',
    object(
      { a: { $ref: '#/$defs/inner' }, b: { type: 'object', additionalProperties: { $ref: '#/$defs/inner' } } },
      { $defs: { inner: object({ mode }, { required: ['mode'] }) } },
    ),
    { a: {}, b: { x: {} } },
    { a: { mode: 'fast' }, b: { x: { mode: 'fast' } } },
  ],
  [
    'is not looked for where references lead in a circle',
    object(
      { a: { $ref: '#/$defs/b' }, tree: { $ref: '#/$defs/tree' } },
      {
        $defs: {
          b: { $ref: '#/$defs/b' },
          tree: { ...object({ left: { $ref: '#/$defs/tree' } }, { required: ['left'] }), default: {} },
        },
      },
    ),
    { a: { x: 1 }, tree: {} },
    { a: { x: 1 }, tree: {} },
  ],
  [
    'is filled inside a default',
    object({ a: { ...object({ mode }, { required: ['mode'] }), default: {} } }, { required: ['a'] }),
    {},
    { a: { mode: 'fast' } },
  ],
])('a default %s', (_what, schema, input, expected) => {
  expect(readAttachedSchema(schema).input.parse(input)).toEqual(expected)
})

test('a default is copied for each call', () => {
  const { input } = readAttachedSchema(object({ a: { default: [] } }, { required: ['a'] }))
  const first = input.parse({}) as { a: string[] }
  first.a.push('changed')
  expect(input.parse({})).toEqual({ a: [] })
})

test.each<[string, object, object, RegExp]>([
  ['all of the arguments', object({ a: {} }, { required: ['a'] }), {}, /^Instance does not have required property "a"/],
  ['a field', object({ a: { type: 'number' } }), { a: 'x' }, /^a: Instance type "string" is invalid/],
  [
    'a default that its own schema refuses',
    object({ a: { type: 'number', default: 'x' } }, { required: ['a'] }),
    {},
    /^a: /,
  ],
])('what is wrong with %s is said without an empty path', (_what, schema, input, problem) => {
  const read = readAs(readAttachedSchema(schema).input, input)
  expect(read).toEqual({ ok: false, problem: expect.stringMatching(problem) })
})

test.each<[string, unknown]>([
  ['no schema', undefined],
  ['a list', { type: 'array' }],
  ['a name that no provider takes', object({ 'a b': {} })],
  ['a name that means something to JavaScript', JSON.parse('{"type":"object","properties":{"__proto__":{}}}')],
  ['thousands of arguments', object(Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`a${index}`, {}])))],
  ['a novel', object({ a: { description: 'x'.repeat(65_000) } })],
  ['too many levels', object({ a: Array.from({ length: 30 }).reduce<object>((inner) => ({ items: inner }), {}) })],
])('%s is refused', (_what, schema) => {
  expect(() => readAttachedSchema(schema)).toThrow()
})

test('a pattern that would never end is not run', () => {
  const schema = object({ a: { type: 'string', pattern: '^(a+)+$' } })
  expect(accepts(schema, { a: `${'a'.repeat(60)}!` })).toBe(true)
})

test('references that double at every step, or lead to themselves, are not followed', () => {
  const bomb = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}`,
      { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
    ]),
  )
  expect(accepts(object({ a: { $ref: '#/$defs/d0' } }, { $defs: { ...bomb, d40: {} } }), { a: 1 })).toBe(true)
  expect(accepts(object({ a: { $ref: '#/properties/a' } }), { a: 1 })).toBe(true)
  expect(
    accepts(object({ a: { type: 'object', properties: { next: { $ref: '#' } } }, b: { type: 'number' } }), { b: 'x' }),
  ).toBe(false)
})

test('more values than can be checked are refused, and not checked', () => {
  const wide = { anyOf: Array.from({ length: 500 }, (_, index) => ({ const: `v${index}` })) }
  const schema = object({ a: { type: 'array', items: wide } })
  expect(accepts(schema, { a: Array.from({ length: 10_000 }, () => 1) })).toBe(false)
  expect(accepts(schema, { a: ['v3'] })).toBe(true)
})

test('a provider gets no combinators at the top, no invisible characters, and all that it names', () => {
  const { forModel, listed } = readAttachedSchema({
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...object(
      { mode: { enum: ['fast', 'slow'], description: 'How.\u202e\u200b' } },
      { required: ['mode'], oneOf: [{}] },
    ),
  })
  expect(forModel).toEqual({
    type: 'object',
    properties: { mode: { type: 'string', enum: ['fast', 'slow'], description: 'How.' } },
    required: ['mode'],
  })
  expect([...listed]).toEqual(['fast', 'slow'])
})

test('what stands for nothing, or is the same in another form, is read so for an attached tool too', () => {
  const { input } = readAttachedSchema({
    type: 'object',
    properties: {
      text: { type: 'string' },
      count: { type: 'integer' },
      all: { type: 'boolean' },
      names: { type: 'array', items: { type: 'string' } },
    },
    required: ['count'],
  })
  const rows: [given: object, read: object][] = [
    [{ text: null, count: 1 }, { count: 1 }],
    [
      { text: 'None', count: '105', all: 'false' },
      { count: 105, all: false },
    ],
    [
      { count: 1, names: '["a"]' },
      { count: 1, names: ['a'] },
    ],
    [{ count: 1, names: '' }, { count: 1 }],
    [{ count: '0105' }, { count: '0105' }],
    [
      { count: 1, names: [5] },
      { count: 1, names: [5] },
    ],
  ]
  for (const [given, read] of rows) expect(faithful(input, given as ToolInput)).toEqual(read)
  expect(input.safeParse({ count: '0105' }).error?.issues).toMatchObject([
    { path: ['count'], message: expect.stringContaining('integer') },
  ])
})
