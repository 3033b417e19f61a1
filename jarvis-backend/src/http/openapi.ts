import * as protocol from 'protocol'
import { z } from 'zod'
import { type Route, route, untyped } from './route.ts'

type Json = Record<string, unknown>
type Schemas = Record<string, Json>

const ErrorReply = z.object({
  error: z.object({ code: z.enum(Object.keys(protocol.errorStatus)), message: z.string() }),
})
const place = '#/components/schemas/'

/** `GET /api/openapi.json`: describes `routes` and itself. The document is made by the first request. */
export function openApiRoute(routes: () => readonly Route[], version: string): Route {
  let made: Json | undefined
  return route('/openapi.json').get(
    'This API as an OpenAPI 3.1 document.',
    { role: 'viewer', forMembers: true, token: 'read', reply: untyped<Json>('An OpenAPI 3.1 document.') },
    () => {
      made ??= openApiOf(routes(), version)
      return made
    },
  )
}

/**
 * Creates the OpenAPI 3.1 document of routes. Schemas that `protocol` exports become components with the same name. `x-role` and `x-password` are
 * the route's `role` and `password`. `x-token` is the scope or the area that a program's token needs. `x-untyped` marks a reply whose schema is not defined yet.
 */
export function openApiOf(routes: readonly Route[], version: string): Json {
  const replies = schemasOf(routes, { part: 'reply', io: 'output', more: { ErrorReply } })
  const bodies = schemasOf(routes, { part: 'body', io: 'input' })
  const queries = schemasOf(routes, { part: 'query', io: 'input' })
  const paramsOf = schemasOf(routes, { part: 'params', io: 'input' })
  const { components, rename } = joined(replies.named, { ...queries.named, ...bodies.named })

  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = `/api${route.path.replace(/[:*](\w+)/g, '{$1}')}`
    const params = propertiesOf(paramsOf.whole(route))
    const inPath = [...route.path.matchAll(/([:*])(\w+)/g)].map(([, kind, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: params.get(name)?.schema ?? { type: 'string' },
      ...(kind === '*' && { description: 'It may hold slashes.' }),
    }))
    const inQuery = [...propertiesOf(queries.whole(route))].map(([name, { schema, required }]) => ({
      name,
      in: 'query',
      required,
      schema: rename(schema),
    }))
    const body = bodies.of(route)
    paths[path] = {
      ...paths[path],
      [route.method]: {
        operationId: idOf(route),
        tags: [route.path.split('/')[1]],
        summary: route.summary.replace(/\[([^[\]]+)\]\([^()]+\)/g, '$1'),

        'x-role': route.role,
        'x-password': route.password,
        'x-token': route.token ?? 'none',
        security: route.role === 'public' ? [] : [{ [route.role === 'key' ? 'key' : 'token']: [] }],
        parameters: [...inPath, ...inQuery],
        ...(body && { requestBody: { required: true, content: { 'application/json': { schema: rename(body) } } } }),
        responses: {
          [route.status]: { description: 'Success', ...contentOf(route, replies.of(route)) },
          default: {
            description: 'A refusal or a failure',
            content: { 'application/json': { schema: { $ref: `${place}ErrorReply` } } },
          },
        },
      },
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'JARVIS',
      version,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'Times are Unix ms, ratios 0 to 1, sizes bytes, unless a name says otherwise. Replies may gain fields.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'From `POST /api/auth/login`, or an API token.' },
        key: { type: 'http', scheme: 'bearer', description: 'The key of the webhook.' },
      },
    },
  }
}

/** Returns the id of an operation: `POST /jobs/:id/run` becomes `postJobsByIdRun`. */
const idOf = ({ method, path }: Route) =>
  method +
  path
    .split(/[/.-]/)
    .map((part) => part.replace(/^[:*]/, 'by-').replace(/(^|-)(\w)/g, (_, _dash, first: string) => first.toUpperCase()))
    .join('')

function contentOf({ media }: Route, reply: Json | undefined): Json {
  const types = media ?? (reply ? ['application/json'] : [])
  if (types.length === 0) return {}
  return { content: Object.fromEntries(types.map((type) => [type, reply ? { schema: reply } : {}])) }
}

/**
 * Converts the routes' schemas to JSON Schema. `named`: the schemas of `protocol` that the routes use. `of`: returns a route's own schema, or a
 * reference.
 */
function schemasOf(
  routes: readonly Route[],
  {
    part,
    io,
    more = {},
  }: { part: 'params' | 'query' | 'body' | 'reply'; io: 'input' | 'output'; more?: Record<string, z.ZodType> },
) {
  /** Parameters are listed one by one, so their object needs no name. */
  const isByName = part === 'body' || part === 'reply'
  const registry = z.registry<{ id: string }>()
  const exported = Object.entries(protocol).filter(
    (entry): entry is [string, z.ZodType & (typeof entry)[1]] => entry[1] instanceof z.ZodType,
  )
  for (const [id, schema] of [...exported, ...Object.entries(more)])
    if (!registry.has(schema)) registry.add(schema, { id })
  for (const [at, route] of routes.entries()) {
    const schema = route[part]
    if (schema !== undefined && !registry.has(schema)) registry.add(schema, { id: `#${at}` })
  }
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: (id: string) => place + id,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      delete jsonSchema.$schema
      delete jsonSchema.$id
      // Allow further fields in replies. zod forbids additional fields in every output, but replies may gain fields later.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  }) as unknown as { schemas: Schemas }
  for (const schema of Object.values(schemas)) {
    delete schema.$schema
    delete schema.$id
  }
  const idIn = (route: Route) => {
    const schema = route[part]
    return schema && registry.get(schema)?.id
  }
  /** Returns a route's schema without a reference. */
  const whole = (route: Route): Json | undefined => schemas[idIn(route) ?? '']
  const of = (route: Route): Json | undefined => {
    const id = idIn(route)
    return id === undefined || id.startsWith('#') ? whole(route) : { $ref: place + id }
  }
  const named: Schemas = {}
  const follow = (value: Json) => {
    for (const name of refsIn(value)) {
      const found = schemas[name]
      if (found === undefined || named[name] !== undefined) continue
      named[name] = found
      follow(found)
    }
  }
  for (const name of Object.keys(more)) follow({ $ref: place + name })
  for (const route of routes) follow((isByName ? of(route) : whole(route)) ?? {})
  return { named, of, whole }
}

const refsIn = (value: Json) =>
  [...JSON.stringify(value).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name)

/**
 * Merges the components of replies and requests. If a component differs in requests, for example by defaults, or refers to one that differs, its
 * form in requests is named `…Input`.
 */
function joined(replies: Schemas, requests: Schemas) {
  const differing = new Set<string>()
  for (let before = -1; before < differing.size; ) {
    before = differing.size
    for (const [name, schema] of Object.entries(requests)) {
      const reply = replies[name]
      if (reply === undefined) continue
      if (JSON.stringify(reply) !== JSON.stringify(schema) || refsIn(schema).some((ref) => differing.has(ref)))
        differing.add(name)
    }
  }
  const renamed = (name: string) => (differing.has(name) ? `${name}Input` : name)
  const rename = (schema: Json): Json =>
    JSON.parse(
      JSON.stringify(schema).replace(
        /"#\/components\/schemas\/(\w+)"/g,
        (_, name: string) => `"${place}${renamed(name)}"`,
      ),
    ) as Json
  const inputs = Object.entries(requests).map(([name, schema]) => [renamed(name), rename(schema)] as const)
  const all = [...Object.entries(replies), ...inputs].sort(([a], [b]) => (a < b ? -1 : 1))
  return { components: Object.fromEntries(all), rename }
}

/** The properties of an object's schema. */
function propertiesOf(schema: Json | undefined): Map<string, { schema: Json; required: boolean }> {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Schemas; required?: string[] }
  return new Map(
    Object.entries(properties).map(([name, of]) => [name, { schema: of, required: required.includes(name) }]),
  )
}
