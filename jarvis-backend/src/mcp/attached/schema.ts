import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker'
import { z } from 'zod'
import { isDeeperThan } from '../../lib/depth.ts'
import { listedIn } from '../../lib/listed-in.ts'
import { modelSchema } from '../../lib/model-schema.ts'
import { defaultsOf, filled, referred } from './defaults.ts'
import { visibleSchema } from './text.ts'

type Json = Record<string, unknown>

/** `forModel`: the part that providers accept. `listed`: the values that the schema lists. */
export type AttachedSchema = { input: z.ZodObject; forModel: Json; listed: ReadonlySet<string> }

const longestSchema = 64_000
const deepestSchema = 20
const mostProperties = 100
const longestInput = 256_000
/** Maximum number of nodes in a schema after references are expanded; a larger schema could exhaust memory. */
const mostNodes = 5_000
/** Limit of schema nodes times input values; about a second in the worst case. */
const mostWork = 2_000_000
/** Names of arguments that providers accept. */
const propertyName = /^[A-Za-z0-9_.-]{1,64}$/
/** Keywords that only the server checks, because patterns and formats of unknown origin could run for ever. */
const notChecked = new Set([
  'pattern',
  'patternProperties',
  'format',
  'uniqueItems',
  '$schema',
  '$id',
  'default',
  'examples',
])
const holdsSchemas = new Set(['properties', '$defs', 'definitions', 'dependentSchemas'])
const combinators = ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref', '$dynamicRef', 'dependentSchemas', 'dependencies']

/**
 * Converts a server's input schema to the schema that the gate checks. An argument that the schema does not name is refused, unless the schema
 * allows additional arguments. @throws Error with a plain sentence if the schema cannot be used.
 */
export function readAttachedSchema(schema: unknown): AttachedSchema {
  if (!isRecord(schema)) throw new Error('Its input schema is no object.')
  if (isDeeperThan(schema, deepestSchema)) throw new Error(`Its input schema is nested over ${deepestSchema} levels.`)
  if (JSON.stringify(schema).length > longestSchema)
    throw new Error(`Its input schema is over ${longestSchema / 1000} kB.`)
  if (schema.type !== undefined && schema.type !== 'object') throw new Error('Its input is not an object.')
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const names = Object.keys(properties)
  if (names.length > mostProperties) throw new Error(`It takes over ${mostProperties} arguments.`)
  const odd = names.find((name) => !propertyName.test(name) || name === '__proto__')
  if (odd !== undefined)
    throw new Error(`It has an argument with an unusable name: ${JSON.stringify(odd.slice(0, 80))}.`)

  const plain = withoutPrograms(schema) as Json
  const size = expandedSize(plain, { root: plain, known: new Map(), within: new Set() })
  // The server checks the arguments again. A schema that is too large to expand can therefore be checked without its references.
  const checked = size > mostNodes ? (withoutReferences(plain) as Json) : plain
  const work = Math.min(size, mostNodes)
  const validate = new CfWorkerJsonSchemaValidator({ draft: '2020-12', shortcircuit: true }).getValidator({
    ...checked,
    type: 'object',
  } as never)
  // A default that refers to itself would expand without end.
  const root = size > mostNodes ? {} : schema
  const defaults = defaultsOf(schema, root)
  const forModel = visibleSchema(modelSchema(schema)) as Json
  // Properties that the model is shown are accepted, also if only a part of a union names them.
  const shown = Object.keys(forModel.properties as Json)
  if (shown.length > mostProperties) throw new Error(`It takes over ${mostProperties} arguments.`)
  const shape = Object.fromEntries(
    [...new Set([...names, ...shown])].map((name) => [
      name,
      Object.hasOwn(defaults, name)
        ? z.unknown().default(() => structuredClone(defaults[name]))
        : z
            .unknown()
            .transform((value) => filled(Object.hasOwn(properties, name) ? properties[name] : undefined, value, root))
            .optional(),
    ]),
  )
  const object = isOpen(schema, names) ? z.looseObject(shape) : z.strictObject(shape)
  const input = object.superRefine((value, context) => {
    const problem = problemWith(value, work, validate)
    if (problem !== undefined) context.addIssue({ code: 'custom', ...problem })
  })
  return { input, forModel, listed: listedIn(plain) }
}

type Problem = { message: string; path: (string | number)[] }

function problemWith(
  value: unknown,
  schemaNodes: number,
  validate: (input: unknown) => { valid: boolean; errorMessage: string | undefined },
): Problem | undefined {
  if (JSON.stringify(value).length > longestInput)
    return { message: `more than ${longestInput / 1000} kB of arguments`, path: [] }
  if (nodesIn(value) * schemaNodes > mostWork) return { message: 'more values than can be checked', path: [] }
  try {
    const { valid, errorMessage } = validate(value)
    // The validator reports inner errors first, so the last part is about the outermost value. `#` stands for all arguments.
    return valid ? undefined : problemIn((errorMessage ?? '').split('; ').at(-1) ?? '')
  } catch {
    return { message: 'the arguments cannot be checked by its schema', path: [] }
  }
}

/** Parses a problem from the validator: `#/list/0: words`, or `#: words` if it is about all arguments. */
function problemIn(told: string): Problem {
  const [, place = '', words = ''] = /^#((?:\/[^/:]*)*): ([\s\S]*)$/.exec(told) ?? []
  if (place === '') return { message: told.replace(/^#(: |\/)?/, '').slice(0, 300), path: [] }
  const path = place
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d{1,6}$/.test(key) ? Number(key) : key))
  return { message: words.slice(0, 300), path }
}

/**
 * True if a schema allows arguments that it does not name. Unlike in JSON Schema, a schema without `additionalProperties` does not, so that a server
 * gets only arguments that its schema describes.
 */
function isOpen(schema: Json, names: readonly string[]): boolean {
  const { additionalProperties: more, patternProperties: patterns } = schema
  if (more === false) return false
  return (
    more !== undefined || patterns !== undefined || (names.length === 0 && combinators.some((key) => key in schema))
  )
}

/** Removes keywords that are not checked. @param isNamed the keys are names of schemas, not keywords */
function withoutPrograms(value: unknown, isNamed = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutPrograms(item))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isNamed || !notChecked.has(key))
      .map(([key, member]) => [
        key,
        !isNamed && (key === 'enum' || key === 'const')
          ? member
          : withoutPrograms(member, !isNamed && holdsSchemas.has(key)),
      ]),
  )
}

function withoutReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReferences)
  if (!isRecord(value)) return value
  if ('$ref' in value || '$dynamicRef' in value) return {}
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutReferences(member)]))
}

/** State of a walk through a schema. `known`: sizes that are computed already. `within`: the nodes around the present one. */
type Walk = { root: Json; known: Map<unknown, number>; within: Set<unknown> }

/** Number of nodes with every reference expanded; infinite for a cycle or an unresolvable reference. */
function expandedSize(node: unknown, walk: Walk): number {
  const { root, known, within } = walk
  if (typeof node !== 'object' || node === null) return 1
  if (within.has(node)) return Number.POSITIVE_INFINITY
  const before = known.get(node)
  if (before !== undefined) return before
  within.add(node)
  let size = 1
  for (const [key, member] of Object.entries(node)) {
    if (key === '$dynamicRef' || key === '$recursiveRef') size = Number.POSITIVE_INFINITY
    else if (key === '$ref') size += expandedSize(referred(member, root) ?? node, walk)
    else size += expandedSize(member, walk)
  }
  within.delete(node)
  known.set(node, size)
  return size
}

function nodesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, member) => sum + nodesIn(member), 1)
}

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
