import type { ClusterState } from 'protocol'
import { z } from 'zod'
import { onceFor } from '../lib/once-for.ts'
import type { Tool } from './tool.ts'

export type Catalog = { list(): readonly Tool[]; get(name: string): Tool | undefined }

/** @throws Error if two tools have one name. */
export function createCatalog(tools: readonly Tool[]): Catalog {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  if (byName.size !== tools.length) throw new Error('Two tools have the same name.')
  const listed = [...tools]
  return { list: () => listed, get: (name) => byName.get(name) }
}

/** Makes a catalog over a registry. The registry is read on use, so it may be filled after this call. `order` sorts the list. */
export function catalogOf(registry: Catalog, order: (tools: readonly Tool[]) => readonly Tool[]): Catalog {
  return { list: onceFor(() => registry.list(), order), get: (name) => registry.get(name) }
}

/** Makes a catalog without the groups of tools that the cluster cannot serve now. `list` returns a new array after each change. */
export function servedBy(state: () => ClusterState, house: Catalog): Catalog {
  const groupsOf = onceFor(house.list, (tools) => [...new Set(tools.flatMap(({ group }) => group ?? []))])
  const listOf = onceFor(
    () =>
      groupsOf()
        .map((group) => group.isServed(state()))
        .join(),
    () => house.list().filter(({ group }) => group === undefined || group.isServed(state())),
  )
  return { list: listOf, get: house.get }
}

/**
 * JARVIS's own tools first, then attached ones by name, so that the provider's cached prefix stays valid.
 * @param attached a new array after each change
 */
export function withAttached(house: Catalog, attached: () => readonly Tool[]): Catalog {
  const others = onceFor(attached, (from) => {
    const own = from.filter(({ name }) => house.get(name) === undefined)
    return createCatalog(own.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
  })
  let made: { house: readonly Tool[]; others: Catalog; all: readonly Tool[] } | undefined
  return {
    list() {
      const now = { house: house.list(), others: others() }
      if (made?.house !== now.house || made.others !== now.others)
        made = { ...now, all: [...now.house, ...now.others.list()] }
      return made.all
    },
    get: (name) => house.get(name) ?? others().get(name),
  }
}

const schemas = new WeakMap<z.ZodObject, Record<string, unknown>>()

/** The tool's input as JSON schema, made once. */
export const inputSchemaOf = ({ input, attached }: Tool): Record<string, unknown> =>
  attached?.inputSchema ?? schemaOf(input)

/** The JSON schema of the tool's `data`, made once; undefined if the tool declares no output. */
export const outputSchemaOf = ({ output }: Tool): Record<string, unknown> | undefined => output && schemaOf(output)

function schemaOf(shape: z.ZodObject): Record<string, unknown> {
  const known = schemas.get(shape)
  if (known !== undefined) return known
  const { $schema: _, '~standard': __, ...schema }: Record<string, unknown> = z.toJSONSchema(shape, { io: 'input' })
  schemas.set(shape, schema)
  return schema
}

const modelSchemas = new WeakMap<z.ZodObject, Record<string, unknown>>()

/**
 * The JSON schema that a model is sent with each request, made once. It leaves out what only costs tokens: the bounds of safe integers, lengths, the
 * type of keys, and `additionalProperties`. The gate checks these all the same. The schema of an attached server's tool is passed on unchanged.
 */
export function modelSchemaOf({ input, attached }: Tool): Record<string, unknown> {
  if (attached !== undefined) return attached.inputSchema
  const known = modelSchemas.get(input)
  if (known !== undefined) return known
  const {
    $schema: _,
    '~standard': __,
    ...schema
  }: Record<string, unknown> = z.toJSONSchema(input, {
    io: 'input',
    override({ jsonSchema }) {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      for (const key of ['minLength', 'maxLength', 'maxItems', 'propertyNames', 'additionalProperties'] as const)
        delete jsonSchema[key]
    },
  })
  modelSchemas.set(input, schema)
  return schema
}
