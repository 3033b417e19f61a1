import type { ToolInfo } from 'protocol'

/** One argument, from its schema. `limits`: its limits in words. */
export type Argument = {
  name: string
  kind: 'text' | 'number' | 'flag' | 'choice'
  choices: readonly string[]
  isRequired: boolean
  limits: string
  description: string
}

type Schema = {
  type?: string | string[]
  enum?: unknown[]
  description?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  anyOf?: Schema[]
}

export function argumentsOf(tool: ToolInfo): Argument[] {
  const { properties = {}, required = [] } = tool.inputSchema as {
    properties?: Record<string, Schema>
    required?: string[]
  }
  return Object.entries(properties)
    .map(([name, schema]): Argument => {
      const type = String(schema.type ?? schema.anyOf?.[0]?.type ?? 'string')
      const choices = (schema.enum ?? []).map(String)
      const kind =
        choices.length > 0
          ? 'choice'
          : /integer|number/.test(type)
            ? 'number'
            : type.includes('boolean')
              ? 'flag'
              : 'text'
      return {
        name,
        kind,
        choices,
        isRequired: required.includes(name),
        limits: limitsOf(kind, schema),
        description: schema.description ?? '',
      }
    })
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

// If a schema sets no limit, zod writes the largest safe integer.
const isLimit = (value: number | undefined): value is number => value !== undefined && Math.abs(value) < 2 ** 53 - 1

function limitsOf(kind: Argument['kind'], { enum: choices, minimum, maximum, minLength, maxLength }: Schema): string {
  if (kind === 'choice') return `one of ${(choices ?? []).join(', ')}`
  if (kind === 'flag') return 'yes or no'
  if (kind === 'text') return isLimit(maxLength) ? `text, ${minLength ?? 0} to ${maxLength} characters` : 'text'
  if (isLimit(minimum) && isLimit(maximum)) return `number, ${minimum} to ${maximum}`
  return isLimit(minimum) ? `number, from ${minimum}` : isLimit(maximum) ? `number, up to ${maximum}` : 'number'
}

export type Given = Readonly<Record<string, string | boolean>>

/** Makes a tool's input from the typed values. Empty fields are left out. */
export function inputOf(list: readonly Argument[], given: Given): Record<string, unknown> {
  const input: Record<string, unknown> = {}
  for (const { name, kind } of list) {
    const value = given[name]
    if (value === undefined || value === '' || value === false) continue
    input[name] = kind === 'number' && typeof value === 'string' && !Number.isNaN(Number(value)) ? Number(value) : value
  }
  return input
}

/** Returns the chat command for exactly this call; undefined if one line cannot express it. */
export function commandOf(name: string, input: Record<string, unknown>): string | undefined {
  const parts = Object.entries(input).map(([key, value]) =>
    typeof value === 'string' ? `${key}="${value.replace(/(["\\])/g, '\\$1')}"` : `${key}=${String(value)}`,
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
