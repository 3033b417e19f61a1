declare global {
  interface String {
    /** Available in every supported Node, but missing from the language version in the compiler's settings. */
    toWellFormed(): string
  }
}

/** Replaces lone surrogates in every string of a value, because providers refuse requests with a cut emoji. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]))
}
