import type { ToolInput } from 'protocol'
import type { z } from 'zod'

/** Values that mean "no value" if the argument is optional. */
const absent: readonly unknown[] = [null, '', 'null', 'None', 'undefined']
/** The words in `absent` that nobody uses as a name. */
const absentWords: readonly unknown[] = ['null', 'None', 'undefined']
/** A made-up word, used as a test. An argument whose schema accepts it accepts any word, so `absentWords` have no meaning of their own there. */
const anyWord = 'nulk'
const numberForm = /^-?\d{1,40}(?:\.\d{1,40})?$/
const mostMended = 50

type Path = readonly PropertyKey[]

/**
 * Converts the arguments to the form that their tool accepts: `"105"` becomes 105, `"true"` becomes true, JSON text becomes a list. An optional
 * argument whose value means "no value" is left out. Only values that the schema refuses are changed, with the exception of words such as `"null"`.
 * The new value must print the same as the old one: `"0105"` stays refused.
 */
export function faithful(schema: z.ZodObject, given: ToolInput): ToolInput {
  let input = withoutAbsent(schema, given)
  for (let times = 0; times < mostMended; times += 1) {
    const mended = firstMended(schema, input)
    if (mended === undefined) return input
    input = mended
  }
  return input
}

/** Leaves out optional arguments whose value means "no value", even if the argument accepts any word. */
function withoutAbsent({ shape }: z.ZodObject, input: ToolInput): ToolInput {
  const takes = (key: string, value: unknown) => {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined
    try {
      return field?.safeParse(value).success === true
    } catch {
      // The schema itself threw an error.
      return false
    }
  }
  const isAbsent = ([key, value]: [string, unknown]) =>
    absentWords.includes(value) && takes(key, undefined) && takes(key, anyWord)
  const entries = Object.entries(input)
  return entries.some(isAbsent) ? Object.fromEntries(entries.filter((entry) => !isAbsent(entry))) : input
}

function firstMended(schema: z.ZodObject, input: ToolInput): ToolInput | undefined {
  const wrong = wrongIn(schema, input)
  for (const path of wrong) {
    const value = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], input)
    for (const other of readings(value)) {
      const tried = replaced(input, path, other) as ToolInput
      if (!wrongIn(schema, tried).some((still) => begins(still, path))) return tried
    }
  }
  return undefined
}

/** Returns the paths that a schema refuses; empty if the schema itself throws. */
function wrongIn(schema: z.ZodObject, input: unknown): Path[] {
  try {
    const { error } = schema.safeParse(input)
    return (error?.issues ?? []).map(({ path }) => path).filter((path) => path.length > 0)
  } catch {
    return []
  }
}

const begins = (path: Path, start: Path) => start.every((key, at) => path[at] === key)

/** Returns other forms of the same value, to be tried. `undefined`: the argument is left out. */
function readings(value: unknown): unknown[] {
  const all: unknown[] = absent.includes(value) ? [undefined] : []
  if (typeof value !== 'string') return all
  if (numberForm.test(value) && String(Number(value)) === value) all.push(Number(value))
  if (value === 'true' || value === 'false') all.push(value === 'true')
  if (/^[[{]/.test(value)) {
    try {
      all.push(JSON.parse(value))
    } catch {
      // The text is not JSON.
    }
  }
  return all
}

function replaced(node: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(node)) return node.map((item, at) => (at === key ? replaced(item, rest, value) : item))
  const { [key]: old, ...others } = node as Record<PropertyKey, unknown>
  return rest.length === 0 && value === undefined ? others : { ...others, [key]: replaced(old, rest, value) }
}
