/** An object that came from a server; its fields are not validated. */
export type Fields = Readonly<Record<string, unknown>>

/** Returns the value as an object. @throws TypeError if the value is not an object; `exchange` reports it as a broken stream */
export function fields(value: unknown): Fields {
  const known = fieldsIfAny(value)
  if (known === undefined) throw new TypeError('an object was expected')
  return known
}

export const fieldsIfAny = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

/** Returns the value as a list. @throws TypeError if it is not a list */
export function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('a list was expected')
  return value
}

/** Parses the data of one event. Google sends a failure as a list with one object. @throws TypeError */
export function eventOf(data: string): Fields {
  let event: unknown
  try {
    event = JSON.parse(data)
  } catch (cause) {
    throw new TypeError('an event is not valid JSON', { cause })
  }
  const [first] = Array.isArray(event) ? event : [event]
  return fields(fieldsIfAny(first)?.error === undefined ? event : first)
}

/** Returns a string unchanged, and an empty string for any other value. For text that a person reads. */
export const words = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * Returns a streamed part of a string; empty if it is absent. For values that are useless if a part is missing. @throws TypeError unless the value
 * is a string or absent
 */
export function fragment(value: unknown): string {
  if (value !== undefined && value !== null && typeof value !== 'string') throw new TypeError('a string was expected')
  return value ?? ''
}

export const count = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
