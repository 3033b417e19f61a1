import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patienceMs, runs } from '../../scripts/property-runs.ts'
import type { ToolSpec } from '../src/agent/model.ts'
import { definitionsOf } from '../src/mcp/attached/definition.ts'
import { learnedInMemory } from '../src/providers/learned.ts'
import { ToolSchemas } from '../src/providers/tool-schemas.ts'
import { toolServers, toolsRefusedBy } from './contracts/strict-tools.ts'
import { anySchema } from './support/any-schema.ts'
import { failingRows } from './support/failing-rows.ts'

type Json = Record<string, unknown>
const object = (properties: object, more: object = {}): Json => ({ type: 'object', properties, ...more })
const branch = (op: string, more: object = {}) => object({ op: { const: op }, ...more }, { required: ['op'] })
const nested = (depth: number): object => (depth === 0 ? { type: 'string' } : object({ a: nested(depth - 1) }))

/** Schemas as servers in the field have them, each with arguments that its tool takes. */
const schemas: Record<string, readonly [Json, object]> = {
  nothing: [{}, {}],
  'no properties': [{ type: 'object' }, {}],
  'patterns, formats, lengths and defaults': [
    object({
      a: { type: 'string', pattern: '(?=x)\\S', format: 'email', maxLength: 100_000, default: 'x', minLength: 1 },
    }),
    { a: 'x@y' },
  ],
  'a list of types': [object({ a: { type: ['string', 'number', 'null'] } }), { a: 'x' }],
  'null alone': [object({ a: { type: 'null' } }), { a: null }],
  constants: [object({ a: { const: 5 }, b: { const: 'x' }, c: { const: null } }), { a: 5, b: 'x', c: null }],
  'a list of mixed values': [object({ a: { enum: ['x', 1, true, null, ''] } }), { a: 1 }],
  'schemas that are true or false': [object({ a: true, b: false }), { a: [1] }],
  'a list of items': [
    object({ a: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }] } }),
    { a: ['x', 1] },
  ],
  'items that begin': [object({ a: { type: 'array', prefixItems: [{ type: 'string' }] } }), { a: ['x'] }],
  'a circle of references': [
    object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: object({ next: { $ref: '#/$defs/a' } }) } }),
    { a: { next: { next: {} } } },
  ],
  'a reference to nothing': [object({ a: { $ref: 'other.json#/x' } }), { a: {} }],
  'parts that all count': [
    object({ a: { allOf: [object({ x: { type: 'string' } }), object({ y: { type: 'integer' } })] } }),
    { a: { x: 'x', y: 1 } },
  ],
  'many levels': [object({ a: nested(8) }), { a: {} }],
  'names that no server takes': [
    object({ a: object({ $filter: { type: 'string' }, ['x'.repeat(70)]: {}, 'b.c': { type: 'string' } }) }),
    { a: { $filter: 'x', 'b.c': 'y' } },
  ],
  'a union at the top': [
    { oneOf: [branch('add', { text: { type: 'string' } }), branch('remove')] },
    { op: 'add', text: 'x' },
  ],
  'own properties beside a union': [
    object(
      { op: { type: 'string' } },
      { required: ['op'], oneOf: [branch('add', { text: { type: 'string' } }), branch('remove', { id: {} })] },
    ),
    { op: 'remove', id: 4 },
  ],
  'a condition at the top': [
    object({ a: { type: 'string' } }, { if: { properties: { a: { const: 'x' } } }, then: { properties: { b: {} } } }),
    { a: 'x', b: 1 },
  ],
  'a union of unions': [
    object({
      a: { description: 'Which.', anyOf: [{ type: 'string' }, { oneOf: [{ type: 'integer' }, object({ b: {} })] }] },
    }),
    { a: { b: 1 } },
  ],
  'a map': [object({ a: { type: 'object', additionalProperties: { type: 'string' } } }), { a: { x: 'y' } }],
  'a list of anything': [object({ a: { type: 'array' } }), { a: [1, 'x'] }],
}
const { definitions, refused } = definitionsOf(
  'lab',
  'x',
  Object.entries(schemas).map(([name, [inputSchema]]) => ({
    name: `${name.replaceAll(' ', '.')}.${'of a long name '.repeat(5)}`,
    inputSchema,
    description: `Tries ${name}. ${'x'.repeat(20_000)}`,
  })),
)
const attached: ToolSpec[] = definitions.map(({ name, description, schema }) => ({
  name,
  description,
  inputSchema: schema.forModel,
}))
const own: ToolSpec[] = [
  { name: 'get_vms', description: 'Lists VMs.', inputSchema: object({ node: { type: 'string' } }) },
  {
    name: 'propose_plan',
    description: 'Proposes a plan.',
    inputSchema: object({
      steps: {
        type: 'array',
        items: object({ value: { type: ['string', 'number'], description: 'V' }, arguments: { type: 'object' } }),
      },
      tier: { type: 'string', enum: ['green', 'red'] },
      hours: { type: 'integer', minimum: 1, maximum: 24 },
    }),
  },
]

/** Asks a server with these tools until it takes them. @returns what it refused, and what it took */
function asked(server: string, tools: readonly ToolSpec[], schemas = new ToolSchemas(learnedInMemory())) {
  const refusals: string[] = []
  for (;;) {
    const request = { system: 'S', messages: [], tools, mayCallTools: true }
    const sent = schemas.fit(request).tools
    const declared = sent.map(({ name, description, inputSchema }) => ({
      name,
      description,
      ...(Object.keys(inputSchema).length > 0 && { parameters: inputSchema }),
    }))
    const no = toolsRefusedBy(server, declared)
    if (no === undefined) {
      schemas.taken(request)
      return { refusals, sent: sent.map(({ name }) => name) }
    }
    const said = JSON.stringify(no.json)
    if (!schemas.leaveOut(said, request)) throw new Error(`gave up: ${said}`)
    refusals.push(said)
    if (refusals.length > 20) throw new Error(`no end: ${said}`)
  }
}

test('the tools of every odd server reach every model server, and none is refused as a whole', async () => {
  expect(refused).toEqual([])
  const tools = [...own, ...attached]
  expect(
    await failingRows(toolServers, (server) => {
      const { refusals, sent } = asked(server, tools)
      expect(sent).toEqual(tools.map(({ name }) => name))
      expect(refusals.length, refusals.join('\n')).toBeLessThanOrEqual(4)
    }),
  ).toEqual([])
})

/** A server that names a tool without a word more loses it. */
const projecting = toolServers.filter((server) => server !== 'a server that names the tool alone')

test('a tool with any schema reaches every model server', { timeout: patienceMs(20_000) }, () => {
  fc.assert(
    fc.property(anySchema, fc.constantFrom(...projecting), (a, server) => {
      const inputSchema = object({ a, b: { type: 'string' } })
      const tools = [...own, { name: 'lab__t', description: 'x', inputSchema }]
      const { refusals, sent } = asked(server, tools)
      expect({ server, refusals, sent }).toEqual({ server, refusals, sent: tools.map(({ name }) => name) })
      expect(refusals.length).toBeLessThanOrEqual(4)
    }),
    runs(12),
  )
})

test('the gate takes the arguments that a model is shown', async () => {
  expect(
    await failingRows(definitions, ({ toolName, schema }) => {
      const found = Object.entries(schemas).find(([name]) => toolName.startsWith(name.replaceAll(' ', '.')))
      const [, input = {}] = found?.[1] ?? []
      expect(schema.input.safeParse(input)).toMatchObject({ success: true })
      const { properties } = schema.forModel as { properties: object }
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(input)))
    }),
  ).toEqual([])
})

const many = (count: number, ...forbidden: number[]): ToolSpec[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `lab__t${i}`,
    description: 'x',
    inputSchema: object({ a: { type: 'string', description: forbidden.includes(i) ? 'forbidden' : 'fine' } }),
  }))

test.each([
  [1, [0]],
  [40, [17]],
  [64, [0]],
  [64, [63]],
  [200, [3, 150]],
])('of %i attached tools those at %j are found that a server refuses without naming them', (count, forbidden) => {
  const left: string[] = []
  const memory = learnedInMemory()
  const learned = {
    ...memory,
    add(part: string, leftOut?: { tool: string }) {
      memory.add(part)
      if (leftOut !== undefined) left.push(leftOut.tool)
    },
  }
  const schemas = new ToolSchemas(learned)
  const tools = [...own, ...many(count, ...forbidden)]
  let paid = 0
  for (let i = 0; i < 2 + 9 * forbidden.length; i += 1) {
    const { refusals, sent } = asked('a bare gateway', tools, schemas)
    paid += refusals.length
    expect(refusals.length).toBeLessThanOrEqual(12)
    expect(sent.slice(0, own.length)).toEqual(own.map(({ name }) => name))
  }
  expect(left.toSorted()).toEqual(forbidden.map((i) => `lab__t${i}`).toSorted())
  expect(asked('a bare gateway', tools, schemas)).toEqual({
    refusals: [],
    sent: tools.map(({ name }) => name).filter((name) => !left.includes(name)),
  })
  expect(paid).toBeLessThanOrEqual(5 + 9 * forbidden.length)
  const again = new ToolSchemas(learned)
  expect(asked('a bare gateway', tools, again).refusals).toEqual([])
})

test('a server that names one attached tool after the other is not asked for each, and loses no tool of JARVIS’s own', () => {
  const tools = [...own, ...many(40, ...Array.from({ length: 40 }, (_, i) => i))]
  const { refusals, sent } = asked('a server that names the tool alone', tools)
  expect(refusals.length).toBeLessThanOrEqual(12)
  expect(sent).toEqual(own.map(({ name }) => name))
})

test('more tools than a server takes leave out the last, which are attached, and a person is told', () => {
  const memory = learnedInMemory()
  const told: unknown[] = []
  const schemas = new ToolSchemas({
    ...memory,
    add: (part, leftOut) => {
      memory.add(part)
      told.push(leftOut)
    },
  })
  expect(asked('OpenAI', [...own, ...many(150)], schemas)).toMatchObject({ refusals: [expect.any(String)] })
  expect(asked('OpenAI', [...own, ...many(150)], schemas).sent).toHaveLength(128)
  expect(told).toMatchObject([{ tool: 'lab__t126 and 23 more' }])
})

test('a refusal that is about the conversation leaves no tool out', () => {
  const schemas = new ToolSchemas(learnedInMemory())
  const request = { system: 'S', messages: [], tools: [...own, ...many(3)], mayCallTools: true }
  schemas.fit(request)
  for (const said of [
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    "Unexpected role 'user' after role 'tool'",
    "This model's maximum context length is 8192 tokens.",
    'Client specified an invalid argument: Model not found',
  ])
    expect(schemas.leaveOut(said, request), said).toBe(false)
  expect(schemas.fit(request).tools).toHaveLength(5)
})

/** Refusals of servers about tools, and the parts left out from then on. */
const wordings: readonly (readonly [said: string, parts: string[]])[] = [
  [
    `Invalid JSON payload received. Unknown name "additionalProperties" at 'tools[0].function_declarations[1].parameters.properties[0].value': Cannot find field.`,
    ['schema:additionalProperties'],
  ],
  [
    'Unable to submit request because `propose_plan` functionDeclaration schema specified other fields alongside any_of.',
    ['schema:anyOf'],
  ],
  [
    "Invalid schema for function 'propose_plan': In context=('properties', 'a'), schema must have a 'type' key.",
    ['schema:untyped'],
  ],
  [
    '* GenerateContentRequest.tools[0].function_declarations[1].parameters.properties[a].items: missing field.',
    ['schema:untyped'],
  ],
  ['* GenerateContentRequest.tools[0].function_declarations[2].parameters: unreadable', ['tool:lab__t0']],
  ['tools.3.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12', ['tool:lab__t1']],
  [
    'The value at toolConfig.tools.4.toolSpec.inputSchema.json.type must be one of the following: object.',
    ['tool:lab__t2'],
  ],
  ["Value at 'toolConfig.tools.5.member.toolSpec.name' failed to satisfy constraint", ['tool:lab__t2']],
  ['invalid JSON schema for tool lab__t1, see parameters', ['tool:lab__t1']],
  ['body.tools.2.function.parameters: Input should be a valid dictionary', ['tool:lab__t0']],
  ['Invalid tool lab__t2: unsupported type', ['tool:lab__t2']],
  ['tools: List should have at most 3 items after validation, not 5', ['tools:most 3']],
  ['Too many tools provided: 5 > 4', ['tools:most 4']],
  ['Maximum number of tools allowed: 2', ['tools:most 2']],
  ['tools[3].function.description: string too long, maximum length is 64', ['schema:description 64']],
]

test('the part that a refusal is about is found, in the words of each server', async () => {
  expect(
    await failingRows(
      wordings,
      ([said, parts]) => {
        const found: string[] = []
        const schemas = new ToolSchemas({ ...learnedInMemory(), add: (part) => found.push(part) })
        const others = many(3).map((tool) => ({
          ...tool,
          description: 'It is described at some length here, for once, so that a limit of 64 is passed.',
        }))
        expect(schemas.leaveOut(said, { tools: [...own, ...others] })).toBe(true)
        expect(found.map((part) => part.replace(/^(tool:\w+):.*/, '$1'))).toEqual(parts)
      },
      ([said]) => said,
    ),
  ).toEqual([])
})
