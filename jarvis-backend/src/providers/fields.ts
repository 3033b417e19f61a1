/** An object from the wire with unknown fields. */
export type Fields = Readonly<Record<string, unknown>>

/** @throws TypeError where the value is no object; `exchange` reports it as a broken stream */
export function fields(value: unknown): Fields {
  const known = fieldsIfAny(value)
  if (known === undefined) throw new TypeError('an object was expected')
  return known
}

export const fieldsIfAny = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

/** @throws TypeError */
export function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('a list was expected')
  return value
}

/** Parses the data of one event. Google sends a failure as a list of one. @throws TypeError */
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

/** Text for a person; other values become empty. */
export const words = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A part of a value that is useless with a part missing. @throws TypeError unless it is a string or absent */
export function fragment(value: unknown): string {
  if (value !== undefined && value !== null && typeof value !== 'string') throw new TypeError('a string was expected')
  return value ?? ''
}

export const count = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
