import fc from 'fast-check'

const { schema } = fc.letrec((tie) => {
  const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'array', 'object', 'null')
  const inner = tie('schema')
  const list = fc.array(inner, { maxLength: 3 })
  const named = fc.dictionary(fc.constantFrom('a', 'b', 'type', 'enum', '$ref'), inner, { maxKeys: 3 })
  return {
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.boolean(),
      fc.record(
        {
          type: fc.oneof(type, fc.array(type, { maxLength: 3 })),
          description: fc.string({ maxLength: 5 }),
          properties: named,
          required: fc.array(fc.constantFrom('a', 'b')),
          patternProperties: named,
          $defs: named,
          $ref: fc.constantFrom('#', '#/$defs/a', '#/properties/b', 'http://x/y', '#/%'),
          items: fc.oneof(inner, list),
          prefixItems: list,
          anyOf: list,
          oneOf: list,
          allOf: list,
          not: inner,
          if: inner,
          then: inner,
          else: inner,
          additionalProperties: inner,
          propertyNames: inner,
          enum: fc.array(fc.oneof(fc.string(), fc.integer(), fc.constant(null))),
          const: fc.jsonValue(),
          pattern: fc.string(),
          minimum: fc.integer(),
          maxLength: fc.nat(),
          default: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    ),
  }
})

/** A JSON Schema of any form, sound or not. */
export const anySchema: fc.Arbitrary<unknown> = schema
