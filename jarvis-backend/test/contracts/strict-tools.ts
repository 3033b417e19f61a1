import type { Refused } from './strict-servers.ts'

type Json = Record<string, unknown>
/** A declared tool. `parameters` is absent where it takes nothing. */
export type Declared = { name: string; description?: string | undefined; parameters?: Json | undefined }
/** The fault in one schema of a tool. @param path such as `.properties[a].items` @param isName the keys of the value are names */
type Fault = (schema: Json, path: string, of: Declared, place: number) => unknown
type Rules = { status?: number; tools?: (tools: readonly Declared[]) => unknown; schema?: Fault; tool?: Fault }

const error = (message: string, more: object = {}) => ({ error: { message, type: 'invalid_request_error', ...more } })
const google = (message: string) => [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }]
const anthropic = (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } })

/** Visits each schema within a schema, and what stands in the place of one. */
function visit(schema: unknown, see: (schema: unknown, path: string) => unknown, path = ''): unknown {
  const found = see(schema, path)
  if (found !== undefined || typeof schema !== 'object' || schema === null) return found
  const { properties = {}, items, anyOf = [] } = schema as { properties?: object; items?: unknown; anyOf?: unknown[] }
  const parts: [unknown, string][] = [
    ...Object.entries(properties).map(([name, part]): [unknown, string] => [part, `${path}.properties[${name}]`]),
    ...(items === undefined ? [] : [[items, `${path}.items`] as [unknown, string]]),
    ...anyOf.map((part, i): [unknown, string] => [part, `${path}.any_of[${i}]`]),
  ]
  for (const [part, at] of parts) {
    const inner = visit(part, see, at)
    if (inner !== undefined) return inner
  }
  return undefined
}

const named =
  (pattern: RegExp, said: (of: Declared, place: number) => unknown): Fault =>
  (_schema, _path, of, place) =>
    pattern.test(of.name) ? undefined : said(of, place)
const first =
  (...faults: readonly Fault[]): Fault =>
  (...given) =>
    faults.map((fault) => fault(...given)).find((found) => found !== undefined)

/** Protobuf: each field is known, and of one type. */
const proto: Fault = (schema, path, { name }, place) => {
  const at = `'tools[0].function_declarations[${place}].parameters${path}'`
  const list = Object.entries(schema).find(([key, value]) => key === 'type' && typeof value !== 'string')
  if (list)
    return google(
      `Invalid JSON payload received. Unknown name "type" at ${at}: Proto field is not repeating, cannot start list.`,
    )
  const known = [
    'type',
    'description',
    'properties',
    'required',
    'items',
    'enum',
    'anyOf',
    'minimum',
    'maximum',
    'nullable',
  ]
  const odd = Object.keys(schema).find((key) => !known.includes(key))
  if (odd !== undefined)
    return google(`Invalid JSON payload received. Unknown name "${odd}" at ${at}: Cannot find field.`)
  const request = `* GenerateContentRequest.tools[0].function_declarations[${place}].parameters${path}`
  const {
    type,
    properties = {},
    required = [],
    items,
    enum: values,
  } = schema as { type?: string; properties?: Json; required?: string[]; items?: unknown; enum?: unknown[] }
  if (type === 'object' && Object.keys(properties).length === 0)
    return google(`${request}.properties: should be non-empty for OBJECT type`)
  if (type === 'array' && items === undefined) return google(`${request}.items: missing field.`)
  const missing = required.findIndex((key) => !Object.hasOwn(properties, key))
  if (missing >= 0) return google(`${request}.required[${missing}]: property is not defined`)
  if (values !== undefined && type !== 'string') return google(`${request}.enum: only allowed for STRING type`)
  if (values?.includes('')) return google(`${request}.enum[0]: cannot be empty`)
  if (!/^[a-zA-Z_][\w.-]{0,63}$/.test(name)) return google(`${request}.name: [FieldPolicy.pattern]`)
  return undefined
}
/** Vertex has rules of its own for unions and types. */
const vertex: Fault = (schema, path, { name }) => {
  const said = (what: string) =>
    google(
      `Unable to submit request because \`${name}\` functionDeclaration \`parameters${path.replaceAll(/\[(\w+)\]/g, '.$1')}\` schema ${what}. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling`,
    )
  if (schema.anyOf !== undefined && Object.keys(schema).length > 1)
    return said('specified other fields alongside any_of. When using any_of, it must be the only field set')
  if (schema.anyOf === undefined && schema.type === undefined) return said("didn't specify the schema type field")
  return undefined
}
/** One grammar for all tools. */
const grammar: Fault = ({ pattern, maxLength, $ref }) => {
  if (typeof pattern === 'string' && !/^\^.*\$$/.test(pattern))
    return error(
      "Unable to generate parser for this template. JSON schema conversion failed:\nPattern must start with '^' and end with '$'",
      { code: 400 },
    )
  if ((typeof pattern === 'string' && /\\[sSdDwWbB]|\(\?/.test(pattern)) || Number(maxLength) > 2_000)
    return error('Failed to initialize samplers: failed to parse grammar', { code: 400 })
  return $ref === undefined
    ? undefined
    : error(`JSON schema conversion failed:\nUnsupported ref: ${String($ref)}`, { code: 400 })
}
const unions = ['oneOf', 'anyOf', 'allOf', 'enum', 'not', '$ref']
const rootOfOpenAi: Fault = (schema, path, { name }, place) => {
  const said = (what: string) =>
    error(`Invalid schema for function '${name}': ${what}`, {
      param: `tools[${place}].function.parameters`,
      code: 'invalid_function_parameters',
    })
  if (path === '' && (schema.type !== 'object' || unions.some((key) => key in schema)))
    return said("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.")
  if (schema.type === 'object' && schema.properties === undefined) return said('object schema missing properties.')
  if (schema.type === 'array' && schema.items === undefined)
    return said(`In context=('properties'), array schema missing items.`)
  return undefined
}
const rootOfClaude: Fault = (schema, path, _of, place) => {
  if (path === '' && (schema.type !== 'object' || unions.some((key) => key in schema)))
    return anthropic(
      `tools.${place}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
    )
  const odd = Object.keys((schema.properties ?? {}) as object).find((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key))
  return odd === undefined
    ? undefined
    : anthropic(
        `tools.${place}.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`,
      )
}
const most = 128
const openAiTools = (tools: readonly Declared[]) =>
  tools.length > most
    ? error(
        `Invalid 'tools': array too long. Expected an array with maximum length ${most}, but got an array with length ${tools.length} instead.`,
        { param: 'tools', code: 'array_above_max_length' },
      )
    : undefined
const long: Fault = (_schema, _path, { description = '' }, place) =>
  description.length > 1_024
    ? error(
        `Invalid 'tools[${place}].function.description': string too long. Expected a string with maximum length 1024, but got a string with length ${description.length} instead.`,
        { param: `tools[${place}].function.description`, code: 'string_above_max_length' },
      )
    : undefined
const namesOfOpenAi = named(/^[a-zA-Z0-9_-]{1,64}$/, (_of, place) =>
  error(
    `Invalid 'tools[${place}].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    { code: 'invalid_value' },
  ),
)
const goWords: Fault = ({ items, properties = {} }) => {
  const part = Object.values(properties as object).find((value) => typeof value === 'boolean')
  if (part !== undefined)
    return error(
      'json: cannot unmarshal bool into Go struct field .tools.function.parameters.properties of type api.ToolProperty',
    )
  return Array.isArray(items)
    ? error('json: cannot unmarshal array into Go struct field .items of type api.ToolProperty')
    : undefined
}

/** Servers by what they refuse in the tools that they are given. */
const servers: Record<string, Rules> = {
  'llama.cpp': { schema: grammar },
  Ollama: { schema: goWords },
  'LM Studio': {
    schema: (schema, path) =>
      path !== '' || schema.type === 'object' ? undefined : { error: "Invalid 'tools': schema type must be object" },
  },
  vLLM: {
    schema: (schema) =>
      '$ref' in schema || 'patternProperties' in schema
        ? error('The provided JSON schema contains features not supported by xgrammar.', {
            type: 'BadRequestError',
            code: 400,
          })
        : undefined,
  },
  Mistral: {
    tool: named(/^[a-zA-Z0-9_-]{1,64}$/, ({ name }) => ({
      object: 'error',
      message: `Function name was ${name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`,
      type: 'invalid_function_call',
      code: '3330',
    })),
    schema: rootOfOpenAi,
  },
  Gemini: { schema: proto },
  Vertex: { schema: first(proto, vertex) },
  Groq: {
    tools: (tools) => (tools.length > most ? error(`'tools' : maximum number of items is ${most}`) : undefined),
    schema: rootOfOpenAi,
  },
  OpenRouter: { schema: rootOfOpenAi },
  DeepSeek: { tool: namesOfOpenAi, schema: rootOfOpenAi },
  xAI: { tools: openAiTools, schema: rootOfOpenAi },
  Azure: { tools: openAiTools, tool: first(namesOfOpenAi, long), schema: rootOfOpenAi },
  OpenAI: { tools: openAiTools, tool: namesOfOpenAi, schema: rootOfOpenAi },
  Bedrock: {
    tool: first(
      named(/^[a-zA-Z0-9_-]{1,64}$/, (_of, place) => ({
        message: `1 validation error detected: Value at 'toolConfig.tools.${place + 1}.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
      })),
      (_schema, _path, { description }, place) =>
        description
          ? undefined
          : {
              message: `1 validation error detected: Value at 'toolConfig.tools.${place + 1}.member.toolSpec.description' failed to satisfy constraint: Member must have length greater than or equal to 1`,
            },
    ),
    schema: rootOfOpenAi,
  },
  'Claude on Bedrock': { schema: rootOfClaude },
  Anthropic: {
    tool: named(/^[a-zA-Z0-9_-]{1,128}$/, (_of, place) =>
      anthropic(`tools.${place}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`),
    ),
    schema: rootOfClaude,
  },
  'a template': {
    status: 500,
    schema: (schema, path) =>
      path === '' || typeof schema.type === 'string'
        ? undefined
        : {
            error: 'Error rendering prompt with jinja template: "Cannot apply filter "upper" to type: UndefinedValue".',
          },
  },
  'a server that names the tool alone': {
    schema: (schema, _path, { name }) =>
      'enum' in schema || 'minimum' in schema || /forbidden/.test(String(schema.description))
        ? error(`Invalid schema for function '${name}'`)
        : undefined,
  },
  'a bare gateway': {
    schema: (schema) =>
      /forbidden/.test(String(schema.description)) ? error('Request contains an invalid argument.') : undefined,
  },
}
export const toolServers = Object.keys(servers)

/** The refusal of a request's tools by a server; undefined if it accepts them. */
export function toolsRefusedBy(server: string, tools: readonly Declared[]): Refused | undefined {
  const { status = 400, tools: ofAll, tool, schema } = servers[server] ?? {}
  const names = new Set(tools.map(({ name }) => name))
  let found = names.size < tools.length ? error('Tool names must be unique.') : ofAll?.(tools)
  for (const [place, of] of tools.entries()) {
    found ??= tool?.({}, '', of, place)
    if (of.parameters !== undefined)
      found ??= visit(of.parameters, (part, path) =>
        typeof part === 'object' && part !== null && !Array.isArray(part)
          ? schema?.(part as Json, path, of, place)
          : error(`tools[${place}]${path}: a schema must be an object`),
      )
  }
  return found === undefined ? undefined : { status, json: found }
}
