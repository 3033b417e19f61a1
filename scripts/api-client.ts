type Json = Record<string, unknown>
type Schema = {
  $ref?: string
  type?: string
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
  'x-token': 'none' | 'read' | 'ask'
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

/** Writes a TypeScript client: a type for each component, one for all operations, and a typed `fetch`. */
export function clientOf(document: OpenApi): string {
  const types = Object.entries(document.components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema)}`,
  )
  const operations = operationsOf(document).map(({ request, operation }) => {
    const { content } = successOf(operation)
    const json = content['application/json']
    const reply = json ? typeOf(json.schema) : Object.keys(content).length > 0 ? 'Response' : 'undefined'
    const parts = [
      partOf('params', operation, 'path'),
      partOf('query', operation, 'query'),
      ...(operation.requestBody ? [`body: ${typeOf(operation.requestBody.content['application/json']?.schema)}`] : []),
    ]
    const input = `{ ${parts.filter((part) => part !== '').join('; ')} }`
    return `  /** ${operation.summary} */\n  '${request}': { input: ${input}; reply: ${reply} }`
  })
  return `${head}\n${types.join('\n')}\n\nexport type Operations = {\n${operations.join('\n')}\n}\n\n${tail}`
}

function partOf(name: string, { parameters }: Operation, place: string): string {
  const those = parameters.filter((parameter) => parameter.in === place)
  if (those.length === 0) return ''
  const isOptional = those.every(({ required }) => !required)
  // A query is text on the wire; numbers are written as they are.
  const fields = those.map((one) => `${one.name}${one.required ? '' : '?'}: ${typeOf(one.schema)}`)
  return `${name}${isOptional ? '?' : ''}: { ${fields.join('; ')} }`
}

function typeOf(schema: Schema | undefined): string {
  if (schema === undefined) return 'unknown'
  if (schema.$ref !== undefined) return schema.$ref.replace(/^.*\//, '')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const either = schema.anyOf ?? schema.oneOf
  if (either !== undefined) return `(${either.map(typeOf).join(' | ')})`
  if (schema.allOf !== undefined) return `(${schema.allOf.map(typeOf).join(' & ')})`
  switch (schema.type) {
    case 'array':
      if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(typeOf).join(', ')}]`
      return `(${typeOf(schema.items)})[]`
    case 'object':
      return objectOf(schema)
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

function objectOf({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  if (fields.length > 0) return `{ ${fields.join('; ')} }`
  return typeof additionalProperties === 'object'
    ? `Record<string, ${typeOf(additionalProperties)}>`
    : 'Record<string, unknown>'
}

const head = `// Made from GET /api/openapi.json by: npm run reference
/** A failure that JARVIS answered with. \`code\` is one of the table in docs/api.md. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  constructor(code: string, message: string, status: number) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.status = status
  }
}
`

const tail = `type Input<Request extends keyof Operations> = Operations[Request]['input']
/** Asked for where a request needs any part of it. */
type Given<Request extends keyof Operations> =
  Record<never, never> extends Input<Request> ? [input?: Input<Request>] : [input: Input<Request>]

/**
 * Makes a client. \`url\`: of JARVIS, without \`/api\`. \`token\`: of a person or a program.
 * Each request resolves with its reply, or with the \`Response\` of a file or stream. @throws ApiError
 */
export function createClient({ url, token, fetch = globalThis.fetch }: { url: string; token?: string; fetch?: typeof globalThis.fetch }) {
  return async <Request extends keyof Operations>(
    request: Request,
    ...[input]: Given<Request>
  ): Promise<Operations[Request]['reply']> => {
    const { params = {}, query = {}, body } = (input ?? {}) as {
      params?: Record<string, string>
      query?: Record<string, string | number | boolean | undefined>
      body?: unknown
    }
    const [method = '', path = ''] = request.split(' ')
    // The last parameter of a file's path may hold slashes.
    const filled = path.replace(/\\{(\\w+)\\}/g, (_, name: string) => {
      const value = encodeURIComponent(params[name] ?? '')
      return name === 'path' ? value.replaceAll('%2F', '/') : value
    })
    const asked = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]]))
    const search = asked.length === 0 ? '' : \`?\${new URLSearchParams(asked)}\`
    const response = await fetch(url + filled + search, {
      method,
      headers: {
        ...(token !== undefined && { authorization: \`Bearer \${token}\` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const reply: unknown = isJson ? await response.json() : undefined
    if (!response.ok) {
      const { code, message } = (reply as { error?: { code: string; message: string } } | undefined)?.error ?? {
        code: 'unknown',
        message: \`\${request}: \${response.status}\`,
      }
      throw new ApiError(code, message, response.status)
    }
    return (isJson || response.status === 204 ? reply : response) as Operations[Request]['reply']
  }
}
`
