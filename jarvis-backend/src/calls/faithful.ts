import type { ToolInput } from 'protocol'
import type { z } from 'zod'

/** What stands for no value where an argument may be left out. */
const absent: readonly unknown[] = [null, '', 'null', 'None', 'undefined']
/** Of those, words that no name is. */
const absentWords: readonly unknown[] = ['null', 'None', 'undefined']
/** An argument that takes a word of `absentWords` and this one takes any word, so that the first means nothing of its own. */
const anyWord = 'nulk'
const numberForm = /^-?\d{1,40}(?:\.\d{1,40})?$/
const mostMended = 50

type Path = readonly PropertyKey[]

/**
 * Arguments as their tool takes them, where a model, a program or a person wrote the same in another form: `"105"` is 105, `"true"` is true, a
 * list may come as JSON, and what stands for nothing is left out where it may be. But for words such as `"null"`, only what the schema refuses is read so,
 * and only forms that print the same: `"0105"` stays refused.
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

/** Leaves out optional arguments whose value is a word for nothing, also where they take any word. */
function withoutAbsent({ shape }: z.ZodObject, input: ToolInput): ToolInput {
  const takes = (key: string, value: unknown) => {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined
    try {
      return field?.safeParse(value).success === true
    } catch {
      // The schema cannot be asked.
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

/** The places that a schema refuses. Without any where it cannot be asked. */
function wrongIn(schema: z.ZodObject, input: unknown): Path[] {
  try {
    const { error } = schema.safeParse(input)
    return (error?.issues ?? []).map(({ path }) => path).filter((path) => path.length > 0)
  } catch {
    return []
  }
}

const begins = (path: Path, start: Path) => start.every((key, at) => path[at] === key)

/** Other forms of the same value. `undefined`: it is left out. */
function readings(value: unknown): unknown[] {
  const all: unknown[] = absent.includes(value) ? [undefined] : []
  if (typeof value !== 'string') return all
  if (numberForm.test(value) && String(Number(value)) === value) all.push(Number(value))
  if (value === 'true' || value === 'false') all.push(value === 'true')
  if (/^[[{]/.test(value)) {
    try {
      all.push(JSON.parse(value))
    } catch {
      // It is no JSON.
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
