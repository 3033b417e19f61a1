import type { Part } from './expressions.ts'

/** A JSON schema of a tool’s output. */
export type Shape = Record<string, unknown>

/** Returns the alternatives of a schema (`anyOf`, `oneOf`), without `null`. */
function alternatives(shape: Shape): Shape[] {
  const several = shape.anyOf ?? shape.oneOf
  if (Array.isArray(several)) return several.flatMap((each) => alternatives(each as Shape))
  return shape.type === 'null' ? [] : [shape]
}

const propertiesOf = (shape: Shape): Record<string, Shape> | undefined =>
  shape.properties as Record<string, Shape> | undefined
/** True for a schema that does not list its keys, so that the value may have any key. */
const isOpen = (shape: Shape): boolean => propertiesOf(shape) === undefined && shape.type !== 'array' && !isPlain(shape)
const isPlain = ({ type, enum: listed }: Shape) =>
  listed !== undefined || ['string', 'number', 'integer', 'boolean'].includes(String(type))

export const isList = (shape: Shape | undefined): boolean =>
  shape !== undefined && alternatives(shape).some((each) => each.type === 'array' || isOpen(each))
/** Returns the schema of a list’s items; undefined if the list’s schema has none. */
export const itemShape = (shape: Shape | undefined): Shape | undefined =>
  shape && alternatives(shape).flatMap(({ items }) => (items === undefined ? [] : [items as Shape]))[0]

export type Found =
  | { ok: true; shape: Shape | undefined }
  /** `has`: the keys that the schema lists. */
  | { ok: false; key: string; has: string[]; isList: boolean }

/** Follows a path through a schema. A schema that does not list its keys allows any path. */
export function follow(shape: Shape | undefined, path: readonly Part[]): Found {
  let at = shape
  for (const part of path) {
    if (at === undefined) return { ok: true, shape: undefined }
    const found = step(at, part)
    if (!found.ok) return found
    at = found.shape
  }
  return { ok: true, shape: at }
}

function step(shape: Shape, part: Part): Found {
  const all = alternatives(shape)
  if (all.length === 0 || all.some(isOpen)) return { ok: true, shape: undefined }
  const lists = all.filter(({ type }) => type === 'array')
  const keys = all.flatMap((each) => Object.keys(propertiesOf(each) ?? {}))
  if ('where' in part) {
    const item = lists.map(({ items }) => items as Shape | undefined)[0]
    if (lists.length === 0) return { ok: false, key: `(${part.where.key}=…)`, has: keys, isList: false }
    const within = follow(item, [{ key: part.where.key }])
    return within.ok ? { ok: true, shape: item } : within
  }
  const { key } = part
  if (lists.length > 0) {
    if (key === 'length') return { ok: true, shape: { type: 'integer' } }
    if (/^\d+$/.test(key) || key === 'last') return { ok: true, shape: lists[0]?.items as Shape | undefined }
    return { ok: false, key, has: ['length', 'last'], isList: true }
  }
  for (const each of all) {
    const properties = propertiesOf(each) ?? {}
    const found = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (found !== undefined) return { ok: true, shape: found }
    const { additionalProperties: more } = each
    if (typeof more === 'object' && more !== null) return { ok: true, shape: more as Shape }
    // The output may have keys that its schema does not list, but a runbook may not use them.
  }
  return { ok: false, key, has: keys, isList: false }
}
