type Json = Record<string, unknown>

/** The defaults of the fields that an object's schema requires, each a copy. A field that is not required is the server's to fill. */
export function defaultsOf(schema: unknown): Json {
  if (!isRecord(schema) || !isRecord(schema.properties) || !Array.isArray(schema.required)) return {}
  const { properties, required } = schema
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      required.includes(name) && isRecord(property) && Object.hasOwn(property, 'default')
        ? [[name, filled(property, structuredClone(property.default))]]
        : [],
    ),
  )
}

/** A value with the defaults of what its schema requires in it, at every depth that is written out: references are not followed. */
export function filled(schema: unknown, value: unknown): unknown {
  if (!isRecord(schema)) return value
  if (Array.isArray(value)) return value.map((item) => filled(schema.items, item))
  if (!isRecord(value) || !isRecord(schema.properties)) return value
  const { properties } = schema
  const given = Object.entries(value).map(([name, member]) => [
    name,
    filled(Object.hasOwn(properties, name) ? properties[name] : undefined, member),
  ])
  return { ...defaultsOf(schema), ...Object.fromEntries(given) }
}

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
