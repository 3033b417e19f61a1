import * as protocol from 'protocol'

type Json = Record<string, unknown>
type Schema = {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  prefixItems?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  description?: string
}
type Content = Record<string, { schema?: Schema }>
export type Operation = {
  operationId: string
  summary: string
  'x-role': string
  'x-password': boolean | 'sometimes'
  'x-token': 'none' | protocol.TokenScope | protocol.TokenArea
  security: Record<string, []>[]
  parameters: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
/** The parts of an OpenAPI 3.1 document that the generators read, as `http/openapi.ts` makes it. */
export type OpenApi = {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; securitySchemes: Json }
}

export const operationsOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ request: `${method.toUpperCase()} ${path}`, operation })),
  )

/** The status of an operation's success and its content. */
export function successOf({ responses }: Operation): { status: string; content: Content } {
  const [status = '', { content = {} } = {}] = Object.entries(responses).find(([code]) => code !== 'default') ?? []
  return { status, content }
}

/**
 * Writes the types of all routes, in the types of `protocol`: `Routes` with a JSON reply or an empty one, `Files` with another one.
 * @param keys the routes, as `GET /api/jobs/:id`
 */
export function routesOf(document: OpenApi, keys: readonly string[]): string {
  const operations = new Map(operationsOf(document).map(({ request, operation }) => [request, operation]))
  const lines: Record<'Routes' | 'Files', string[]> = { Routes: [], Files: [] }
  for (const key of keys) {
    const operation = operations.get(key.replace(/[:*](\w+)/g, '{$1}'))
    if (operation === undefined) throw new Error(`The document lacks ${key}.`)
    const { content } = successOf(operation)
    const reply = content['application/json']
    const isFile = reply === undefined && Object.keys(content).length > 0
    const parts = [
      partOf('params', operation, 'path'),
      partOf('query', operation, 'query'),
      ...(operation.requestBody
        ? [`body: ${typeOf(operation.requestBody.content['application/json']?.schema, inputOf)}`]
        : []),
      ...(isFile ? [] : [`reply: ${reply === undefined ? 'undefined' : typeOf(reply.schema, outputOf)}`]),
    ]
    const input = parts.filter((part) => part !== '').join('; ')
    lines[isFile ? 'Files' : 'Routes'].push(`  /** ${operation.summary} */\n  '${key}': { ${input} }`)
  }
  return `${head}${Object.entries(lines)
    .map(([name, routes]) => `\nexport type ${name} = {\n${routes.join('\n')}\n}\n`)
    .join('')}`
}

const head = `// Made from the table of routes by: npm run reference
import type { z } from 'zod'
import type * as p from './index.ts'
`

/** Returns the type of a component's value in a reply or in a request. */
type Named = (component: string) => string
const outputOf: Named = (component) => `p.${component}`
/** A component that differs in requests is named `…Input`. */
const inputOf: Named = (component) =>
  `z.input<typeof p.${component in protocol ? component : component.replace(/Input$/, '')}>`

function partOf(name: string, { parameters }: Operation, place: string): string {
  const those = parameters.filter((parameter) => parameter.in === place)
  if (those.length === 0) return ''
  const isOptional = those.every(({ required }) => !required)
  // A query is text on the wire; numbers are written as they are.
  const fields = those.map((one) => `${one.name}${one.required ? '' : '?'}: ${typeOf(one.schema, inputOf)}`)
  return `${name}${isOptional ? '?' : ''}: { ${fields.join('; ')} }`
}

function typeOf(schema: Schema | undefined, named: Named): string {
  if (schema === undefined) return 'unknown'
  if (schema.$ref !== undefined) return named(schema.$ref.replace(/^.*\//, ''))
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return `(${either.map((one) => typeOf(one, named)).join(' | ')})`
  if (schema.allOf !== undefined) return `(${schema.allOf.map((one) => typeOf(one, named)).join(' & ')})`
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, named)).join(' | ')
  switch (schema.type) {
    case 'array':
      if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map((one) => typeOf(one, named)).join(', ')}]`
      return `(${typeOf(schema.items, named)})[]`
    case 'object':
      return objectOf(schema, named)
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, named: Named): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${/^\w+$/.test(name) ? name : literal(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, named)}`,
  )
  if (fields.length > 0) return `{ ${fields.join('; ')} }`
  return typeof additionalProperties === 'object'
    ? `Record<string, ${typeOf(additionalProperties, named)}>`
    : 'Record<string, unknown>'
}
