type Json = Record<string, unknown>

/**
 * The defaults of the fields that an object's schema requires, each a copy. A field that is not required is the server's to fill.
 * @param root where its references lead: a schema without circles; empty where they are not followed
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

/** A value with the defaults of what its schema requires in it, at every depth of properties, items and references within `root`. */
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

/** A schema with what its reference leads to; what stands beside the reference counts first. */
function resolved(schema: unknown, root: Json): Json | undefined {
  let found = isRecord(schema) ? schema : undefined
  while (found?.$ref !== undefined) {
    const { $ref, ...beside }: Json = found
    const target = referred($ref, root)
    found = isRecord(target) ? { ...target, ...beside } : beside
  }
  return found
}

/** What `#/$defs/name` leads to; undefined where it leads nowhere or out of `root`. */
export function referred(reference: unknown, root: Json): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined
  const parts = reference.slice(2).split('/')
  return parts.reduce<unknown>((at, part) => {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Json)[key] : undefined
  }, root)
}

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
