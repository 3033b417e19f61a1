import { z } from 'zod'
import type { Tool } from './tool.ts'

export type Catalog = { list(): readonly Tool[]; get(name: string): Tool | undefined }

/** @throws Error where two tools have one name. */
export function createCatalog(tools: readonly Tool[]): Catalog {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  if (byName.size !== tools.length) throw new Error('Two tools have the same name.')
  const listed = [...tools]
  return { list: () => listed, get: (name) => byName.get(name) }
}

/**
 * JARVIS's own tools first, then attached ones by name, so that the provider's cached prefix stays valid.
 * @param attached a new array after each change
 */
export function withAttached(house: Catalog, attached: () => readonly Tool[]): Catalog {
  let made: { from: readonly Tool[]; catalog: Catalog } | undefined
  const current = () => {
    const from = attached()
    if (made?.from !== from) {
      const own = from.filter(({ name }) => house.get(name) === undefined)
      made = { from, catalog: createCatalog([...house.list(), ...own.toSorted((a, b) => (a.name < b.name ? -1 : 1))]) }
    }
    return made.catalog
  }
  return { list: () => current().list(), get: (name) => current().get(name) }
}

const schemas = new WeakMap<z.ZodObject, Record<string, unknown>>()

/** The tool's input as JSON schema, made once. */
export const inputSchemaOf = ({ input, attached }: Tool): Record<string, unknown> =>
  attached?.inputSchema ?? schemaOf(input)

/** What its `data` holds, as JSON schema, made once; absent where the tool does not say. */
export const outputSchemaOf = ({ output }: Tool): Record<string, unknown> | undefined => output && schemaOf(output)

function schemaOf(shape: z.ZodObject): Record<string, unknown> {
  const known = schemas.get(shape)
  if (known !== undefined) return known
  const { $schema: _, '~standard': __, ...schema }: Record<string, unknown> = z.toJSONSchema(shape, { io: 'input' })
  schemas.set(shape, schema)
  return schema
}
