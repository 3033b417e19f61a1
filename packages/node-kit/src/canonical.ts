import { createHash } from 'node:crypto'

const maxDepth = 100

/**
 * Canonical text of a JSON value: keys sorted, no spaces, undefined members dropped.
 * @throws TypeError for values outside JSON (a function, NaN, a Date, a cycle, more than 100 levels)
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0)
}

function write(value: unknown, depth: number): string {
  if (depth > maxDepth) throw new TypeError('Not JSON: nested too deeply')
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return JSON.stringify(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`Not JSON: ${value}`)
      return JSON.stringify(value)
    case 'object':
      break
    default:
      throw new TypeError(`Not JSON: ${typeof value}`)
  }
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${Array.from(value, (item) => write(item, depth + 1)).join(',')}]`
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('Not JSON: an object of a class')
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${write(member, depth + 1)}`)
  return `{${members.join(',')}}`
}

/** SHA-256 of the canonical text, hex. @throws TypeError as `canonicalJson` */
export const hashOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex')
