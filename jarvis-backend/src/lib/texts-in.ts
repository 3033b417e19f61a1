/** All texts and numbers of a value, keys too, in their order. JSON would hide a word behind the `n` of `\\n`. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return Object.entries(value).flatMap(([key, inside]) => [key, ...textsIn(inside)])
}
