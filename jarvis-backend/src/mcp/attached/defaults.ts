type Json = Record<string, unknown>

/**
 * Returns copies of the defaults of an object's required fields. Optional fields are left to the server. @param root the schema in which references
 * are resolved, without cycles; an empty schema to resolve none
 */
export function defaultsOf(schema: unknown, root: Json): Json {
  if (!isRecord(schema) || !isRecord(schema.properties) || !Array.isArray(schema.required)) return {}
  const { properties, required } = schema
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, member]) => {
      const property = required.includes(name) ? resolved(member, root) : undefined
      return property !== undefined && Object.hasOwn(property, 'default')
        ? [[name, filled(property, structuredClone(property.default), root)]]
        : []
    }),
  )
}

/** Adds the defaults of required fields to a value, at every depth of properties, items and references within `root`. */
export function filled(schema: unknown, value: unknown, root: Json): unknown {
  if (typeof value !== 'object' || value === null) return value
  const known = resolved(schema, root)
  if (known === undefined) return value
  if (Array.isArray(value)) return value.map((item) => filled(known.items, item, root))
  const properties = isRecord(known.properties) ? known.properties : {}
  const given = Object.entries(value).map(([name, member]) => [
    name,
    filled(Object.hasOwn(properties, name) ? properties[name] : known.additionalProperties, member, root),
  ])
  return { ...defaultsOf(known, root), ...Object.fromEntries(given) }
}

/** A schema with its reference resolved; keywords beside the reference take precedence. */
function resolved(schema: unknown, root: Json): Json | undefined {
  let found = isRecord(schema) ? schema : undefined
  while (found?.$ref !== undefined) {
    const { $ref, ...beside }: Json = found
    const target = referred($ref, root)
    found = isRecord(target) ? { ...target, ...beside } : beside
  }
  return found
}

/** Resolves `#/$defs/name`; undefined if nothing is there, or the reference leads out of `root`. */
export function referred(reference: unknown, root: Json): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined
  const parts = reference.slice(2).split('/')
  return parts.reduce<unknown>((at, part) => {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Json)[key] : undefined
  }, root)
}

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
