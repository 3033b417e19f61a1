declare global {
  interface String {
    /** In every Node we run on; not yet in the language version we compile for. */
    toWellFormed(): string
  }
}

/** The value with lone surrogates replaced in every string of it: a sliced emoji makes a provider refuse the request. */
export function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]))
}
