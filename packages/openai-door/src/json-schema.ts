import { isDeepStrictEqual } from 'node:util'

type Schema = Record<string, unknown>

/** Maximum number of steps in one check, because references and alternatives could multiply the work. */
const mostSteps = 100_000
/** Maximum nesting depth of values and references. */
const deepest = 250

/**
 * Checks a value against a JSON Schema. @returns a sentence about the fault; undefined if there is none. Checks types, `enum`, `const`,
 * `properties`, `required`, `additionalProperties`, `items`, lengths, limits, `anyOf`, `oneOf`, `allOf` and `$ref` within the schema. Other keywords
 * are ignored, including `pattern` and `format`, because a caller's regular expression could block the server.
 */
export function faultIn(value: unknown, schema: Schema): string | undefined {
  let steps = 0
  let depth = 0

  function look(value: unknown, of: unknown, at: string): string | undefined {
    steps += 1
    if (steps > mostSteps || depth > deepest) return 'The schema is too much to check.'
    depth += 1
    const fault = faultAt(value, of, at)
    depth -= 1
    return fault
  }

  function faultAt(value: unknown, of: unknown, at: string): string | undefined {
    if (of === false) return `${at} must not be there.`
    if (typeof of !== 'object' || of === null) return undefined
    const rule = of as Schema
    if (typeof rule.$ref === 'string') {
      const target = resolve(schema, rule.$ref)
      return target === undefined ? `The schema has no ${rule.$ref}.` : look(value, target, at)
    }
    return (
      kindFault(value, rule, at) ??
      sizeFault(value, rule, at) ??
      (Array.isArray(value) ? itemsFault(value, rule, at) : undefined) ??
      (isObject(value) ? propertiesFault(value, rule, at) : undefined) ??
      alternativesFault(value, rule, at)
    )
  }

  function itemsFault(value: readonly unknown[], { items }: Schema, at: string): string | undefined {
    if (items === undefined) return undefined
    for (const [index, one] of value.entries()) {
      const fault = look(one, items, `${at}[${index}]`)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  function propertiesFault(value: Schema, rule: Schema, at: string): string | undefined {
    const properties = isObject(rule.properties) ? rule.properties : {}
    const required = Array.isArray(rule.required) ? (rule.required as unknown[]) : []
    const missing = required.find((name) => typeof name === 'string' && !Object.hasOwn(value, name))
    if (missing !== undefined) return `${at}.${String(missing)} is missing.`
    for (const [name, one] of Object.entries(value)) {
      const known = Object.hasOwn(properties, name) ? properties[name] : rule.additionalProperties
      const fault = look(one, known, `${at}.${name}`)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  function alternativesFault(value: unknown, { anyOf, oneOf, allOf }: Schema, at: string): string | undefined {
    const fits = (list: readonly unknown[]) => list.filter((one) => look(value, one, at) === undefined).length
    if (Array.isArray(anyOf) && fits(anyOf) === 0) return `${at} is none of what it may be.`
    if (Array.isArray(oneOf) && fits(oneOf) !== 1) return `${at} is not exactly one of what it may be.`
    for (const one of Array.isArray(allOf) ? allOf : []) {
      const fault = look(value, one, at)
      if (fault !== undefined) return fault
    }
    return undefined
  }

  return look(value, schema, '$')
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

function kindFault(value: unknown, { type, enum: values, const: only }: Schema, at: string): string | undefined {
  const kinds = type === undefined ? [] : Array.isArray(type) ? type : [type]
  const isOf = (kind: unknown) => (kind === 'integer' ? Number.isInteger(value) : kind === kindOf(value))
  if (kinds.length > 0 && !kinds.some(isOf)) return `${at} is ${kindOf(value)}, not ${kinds.join(' or ')}.`
  if (Array.isArray(values) && !values.some((one) => isDeepStrictEqual(one, value))) return `${at} is not in its enum.`
  return only !== undefined && !isDeepStrictEqual(only, value) ? `${at} is not its const.` : undefined
}

function sizeFault(value: unknown, rule: Schema, at: string): string | undefined {
  const fault = (size: number, least: unknown, most: unknown) =>
    (typeof least === 'number' && size < least) || (typeof most === 'number' && size > most)
      ? `${at} is ${size}, not within its limits.`
      : undefined
  if (typeof value === 'number') return fault(value, rule.minimum, rule.maximum)
  if (typeof value === 'string') return fault([...value].length, rule.minLength, rule.maxLength)
  return Array.isArray(value) ? fault(value.length, rule.minItems, rule.maxItems) : undefined
}

/** A part of the schema by its JSON pointer, as `#/$defs/step`. */
function resolve(schema: Schema, ref: string): unknown {
  if (ref === '#') return schema
  if (!ref.startsWith('#/')) return undefined
  let found: unknown = schema
  for (const part of ref.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Schema)[name]
  }
  return found
}
