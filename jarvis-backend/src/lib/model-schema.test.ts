import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../scripts/property-runs.ts'
import { anySchema } from '../../test/support/any-schema.ts'
import { modelSchema, optionalKeywords } from './model-schema.ts'

const row = (...[name, given, projected]: [name: string, given: object, projected: object]) => ({
  name,
  given,
  projected,
})
const property = (given: object, projected: object, name: string) =>
  row(name, { type: 'object', properties: { a: given } }, { type: 'object', properties: { a: projected } })

const table = [
  row('an empty schema', {}, { type: 'object', properties: {} }),
  row('no properties', { type: 'object', additionalProperties: false }, { type: 'object', properties: {} }),
  property({ type: ['string', 'null'] }, { type: 'string' }, 'a list of types with null'),
  property({ type: ['string', 'number'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'a list of types'),
  property(
    { type: 'string', pattern: '\\S', format: 'email', minLength: 1, maxLength: 10_000, default: 'x', examples: ['x'] },
    { type: 'string' },
    'patterns, formats and lengths',
  ),
  property({ type: 'array', maxItems: 9_999 }, { type: 'array', items: {} }, 'an array without items'),
  property(
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
    { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    'a tuple',
  ),
  property({ anyOf: [{ const: 'x' }, { const: 'y' }] }, { type: 'string', enum: ['x', 'y'] }, 'constants in a union'),
  property({ enum: ['x', ''] }, { type: 'string', description: 'One of: "x", "".' }, 'an empty word in a list'),
  property(
    { enum: ['x', 1] },
    {
      anyOf: [
        { type: 'string', enum: ['x'] },
        { type: 'number', description: 'One of: 1.' },
      ],
    },
    'values of several types',
  ),
  property({ type: 'integer', enum: [1, 2] }, { type: 'integer', description: 'One of: 1, 2.' }, 'numbers in a list'),
  property(
    { type: 'object', propertyNames: { pattern: 'x' }, additionalProperties: { type: 'string' } },
    { type: 'object', description: 'Each value is of type string.', properties: {}, additionalProperties: true },
    'a map',
  ),
  property({ not: { type: 'string' } }, {}, 'a negation'),
  property(
    { anyOf: [{ type: 'integer', minimum: 3 }, { type: 'null' }], description: 'D' },
    { type: 'integer', description: 'D', minimum: 3 },
    'an optional number',
  ),
  row(
    'a reference at the top',
    {
      $ref: '#/definitions/A',
      definitions: { A: { type: 'object', properties: { x: { $ref: '#/definitions/B' } } }, B: { type: 'string' } },
    },
    { type: 'object', properties: { x: { type: 'string' } } },
  ),
  row(
    'a schema that refers to itself',
    { type: 'object', properties: { child: { $ref: '#' } } },
    {
      type: 'object',
      properties: {
        child: {
          type: 'object',
          properties: { child: { type: 'object', properties: {}, additionalProperties: true } },
        },
      },
    },
  ),
  row(
    'a union at the top',
    {
      oneOf: [
        { type: 'object', properties: { op: { const: 'add' }, text: { type: 'string' } }, required: ['op', 'text'] },
        { type: 'object', properties: { op: { const: 'remove' }, id: { type: 'integer' } }, required: ['op', 'id'] },
      ],
    },
    {
      type: 'object',
      description: 'Either op = "add", text; or op = "remove", id.',
      properties: {
        op: { type: 'string', enum: ['add', 'remove'] },
        text: { type: 'string' },
        id: { type: 'integer' },
      },
      required: ['op'],
    },
  ),
  row(
    'parts and conditions at the top',
    {
      type: 'object',
      allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }],
      if: { properties: { a: { const: 'x' } } },
      then: { properties: { b: { type: 'boolean' } }, required: ['b'] },
      dependentRequired: { a: ['b'] },
    },
    { type: 'object', properties: { a: { type: 'string' }, b: { type: 'boolean' } }, required: ['a'] },
  ),
]

test('a model is sent the plain part of a schema', () => {
  for (const { name, given, projected } of table) expect(modelSchema(given as never), name).toEqual(projected)
})

const keywords = ['type', 'description', 'properties', 'required', 'items', ...optionalKeywords]
function odd(schema: unknown, without: readonly string[]): string[] {
  const { properties = {}, items, anyOf = [], ...rest } = schema as Record<string, never>
  return [
    ...Object.keys(schema as object).filter((key) => !keywords.includes(key) || without.includes(key)),
    ...('type' in rest && typeof rest.type !== 'string' ? ['types'] : []),
    ...(rest.type === 'object' && !Object.hasOwn(schema as object, 'properties') ? ['no properties'] : []),
    ...(rest.type === 'array' && items === undefined ? ['no items'] : []),
    ...[...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf].flatMap((part) =>
      odd(part, without),
    ),
  ]
}

test('the plain part of any schema holds allowed keywords alone, and is an object at the top', () => {
  fc.assert(
    fc.property(anySchema, fc.subarray([...optionalKeywords]), (given, without) => {
      const plain = modelSchema((typeof given === 'object' ? given : {}) as never, new Set(without))
      expect(odd(plain, without)).toEqual([])
      expect(plain).toMatchObject({ type: 'object', properties: {} })
      const { required = [], properties } = plain as { required?: string[]; properties: object }
      expect(required.filter((name) => !Object.hasOwn(properties, name))).toEqual([])
    }),
    runs(20),
  )
})
