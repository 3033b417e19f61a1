import type { RunbookInput, ToolInfo } from 'protocol'

/**
 * One argument of a tool or input of a runbook. `limits`: its limits in words. `known`: the names that fit are those of the cluster. `list`: a text a
 * line. `json`: a value that has no field of its own.
 */
export type Argument = {
  name: string
  kind: 'text' | 'long' | 'number' | 'flag' | 'choice' | 'list' | 'json'
  choices: readonly string[]
  isRequired: boolean
  limits: string
  description: string
  known?: keyof KnownNames | undefined
  default?: string | boolean | undefined
}

/** Names that fit an argument, each with a note. */
export type KnownNames = Readonly<
  Record<'node' | 'guest' | 'storage', readonly (readonly [name: string, note: string])[]>
>

type Schema = {
  type?: string | string[]
  enum?: unknown[]
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  items?: Schema
  anyOf?: Schema[]
}

/** Texts that may be longer than this get a field of several lines. */
const longChars = 2_000
const knownOf: Readonly<Record<string, Argument['known']>> = { node: 'node', vmid: 'guest', storage: 'storage' }

export function argumentsOf(tool: Pick<ToolInfo, 'inputSchema'>): Argument[] {
  const { properties = {}, required = [] } = tool.inputSchema as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  return Object.entries(properties)
    .map(([name, schema]): Argument => {
      const kind = kindOf(schema)
      return {
        name,
        kind,
        choices: (schema.enum ?? []).map(String),
        isRequired: required.includes(name),
        limits: limitsOf(kind, schema),
        description: schema.description ?? '',
        known: Object.hasOwn(knownOf, name) ? knownOf[name] : undefined,
        default: defaultOf(schema.default),
      }
    })
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

/** The inputs of a runbook as arguments, in the runbook's order. */
export const inputsOf = (inputs: readonly RunbookInput[]): Argument[] =>
  inputs.map(({ name, type, about = '', isRequired, default: value }) => ({
    name,
    kind: type === 'boolean' ? 'flag' : type === 'number' || type === 'guest' ? 'number' : 'text',
    choices: [],
    isRequired,
    limits: type,
    description: about,
    known: type === 'node' || type === 'guest' || type === 'storage' ? type : undefined,
    default: defaultOf(value),
  }))

const defaultOf = (value: unknown) =>
  typeof value === 'boolean' || value === undefined
    ? value
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

function kindOf({ enum: choices = [], type, anyOf, items, maxLength = 0 }: Schema): Argument['kind'] {
  if (choices.length > 0) return 'choice'
  const is = String(type ?? anyOf?.[0]?.type ?? 'string')
  if (is === 'array') return items?.type === 'string' ? 'list' : 'json'
  if (is.includes('object')) return 'json'
  if (/integer|number/.test(is)) return 'number'
  if (is.includes('boolean')) return 'flag'
  return isLimit(maxLength) && maxLength > longChars ? 'long' : 'text'
}

// If a schema sets no limit, zod writes the largest safe integer.
const isLimit = (value: number | undefined): value is number => value !== undefined && Math.abs(value) < 2 ** 53 - 1

function limitsOf(kind: Argument['kind'], { enum: choices, minimum, maximum, minLength, maxLength }: Schema): string {
  if (kind === 'choice') return `one of ${(choices ?? []).join(', ')}`
  if (kind === 'flag') return 'yes or no'
  if (kind === 'list') return 'one a line'
  if (kind === 'json') return 'as JSON'
  if (kind === 'text' || kind === 'long')
    return isLimit(maxLength) ? `text, ${minLength ?? 0} to ${maxLength} characters` : 'text'
  if (isLimit(minimum) && isLimit(maximum)) return `number, ${minimum} to ${maximum}`
  return isLimit(minimum) ? `number, from ${minimum}` : isLimit(maximum) ? `number, up to ${maximum}` : 'number'
}

/** A call of a tool by its name. */
export type Call = { name: string; input: Readonly<Record<string, unknown>> }

export type Given = Readonly<Record<string, string | boolean>>

/** Makes a call's input from the typed values. Empty fields are left out. A text that its field cannot read stays a text, which the gate refuses. */
export function inputOf(list: readonly Argument[], given: Given): Record<string, unknown> {
  return Object.fromEntries(
    list.flatMap((argument) => {
      const value = given[argument.name]
      const isUnset = value === undefined || value === '' || (value === false && argument.default !== true)
      return isUnset ? [] : [[argument.name, typeof value === 'string' ? read(argument.kind, value) : value]]
    }),
  )
}

function read(kind: Argument['kind'], text: string): unknown {
  if (kind === 'number') return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text
  if (kind === 'list') return text.split('\n').filter((line) => line !== '')
  if (kind !== 'json') return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Makes the typed values from a call's input, as the reverse of `inputOf`. */
export function givenOf(list: readonly Argument[], input: Readonly<Record<string, unknown>>): Given {
  return Object.fromEntries(
    list.flatMap(({ name, kind }) => {
      const value = input[name]
      if (value === undefined) return []
      if (kind === 'list' && Array.isArray(value)) return [[name, value.join('\n')]]
      return [[name, typeof value === 'boolean' || typeof value === 'string' ? value : JSON.stringify(value)]]
    }),
  )
}

/** Reads a JSON object; undefined if the text is not one. An empty text is an empty object. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** True if every argument that must be given has a value. */
export const isWhole = (list: readonly Argument[], input: Readonly<Record<string, unknown>>): boolean =>
  list.every(({ name, isRequired, default: value }) => !isRequired || value !== undefined || input[name] !== undefined)

/** Finds the argument that the gate's error names, such as `vmid: must be …` or `set: memory must be …`. `key`: undefined if it names none of `keys`. */
export function problemIn(reason: string, keys: readonly string[]): { key?: string; text: string } {
  const [, path = '', rest = reason] = /^(\w+)(?:\.[\w.]+)?: (.*)$/s.exec(reason) ?? []
  if (keys.includes(path)) return { key: path, text: rest }
  const key = keys.find((known) => rest.startsWith(`${known} `))
  return key === undefined ? { text: rest } : { key, text: rest.slice(key.length + 1) }
}

/** Returns the chat command for exactly this call; undefined if one line cannot express it. */
export function commandOf(name: string, input: Record<string, unknown>): string | undefined {
  const parts = Object.entries(input).map(([key, value]) =>
    typeof value === 'string' ? `${key}="${value.replace(/(["\\])/g, '\\$1')}"` : `${key}=${JSON.stringify(value)}`,
  )
  const line = [`/${name}`, ...parts].join(' ')
  // A command is one line, and its numbers must be integers.
  const isSayable =
    !/[\n\r]/.test(line) && Object.values(input).every((v) => typeof v !== 'number' || Number.isInteger(v))
  return isSayable ? line : undefined
}

/** Describes the possible effects of a tool's calls: `power on a guest (stop)`. `remote`: only the attached server knows the effects. */
export function effectWords({ effects = [] }: Pick<ToolInfo, 'effects'>): string {
  const said = effects
    .filter(({ kind }) => kind !== 'unknown')
    .map(({ kind, on, action }) => `${kind} on a ${on}${action === undefined ? '' : ` (${action})`}`)
  return [...new Set(said)].join(', ')
}
