/**
 * Returns all texts and numbers in a value, including keys, in order. JSON is not used, because in it a word after a line break would be joined to
 * the `n` of `\\n`.
 */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return Object.entries(value).flatMap(([key, inside]) => [key, ...textsIn(inside)])
}
