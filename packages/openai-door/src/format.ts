import { z } from 'zod'
import { badField } from './errors.ts'
import { faultIn } from './json-schema.ts'
import type { AnswerFormat } from './turn.ts'

const JsonSchema = z.looseObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must have 1 to 64 letters, digits, _ or -'),
  schema: z.record(z.string(), z.unknown()),
  strict: z.boolean().nullish(),
})

/** Reads the `response_format` of Chat Completions. @returns undefined for plain text @throws ApiError 400 */
export function formatIn(given: { type: string; json_schema?: unknown } | null | undefined): AnswerFormat | undefined {
  const type = given?.type ?? 'text'
  if (type === 'text') return undefined
  if (type === 'json_object') return { type }
  if (type !== 'json_schema')
    throw badField(
      'response_format',
      `JARVIS does not know the format ${JSON.stringify(type.slice(0, 60))}. Ask for text, json_object or json_schema.`,
    )
  const read = JsonSchema.safeParse(given?.json_schema)
  if (!read.success) {
    const [issue] = read.error.issues
    const param = ['response_format', 'json_schema', ...(issue?.path ?? [])].join('.')
    throw badField(param, `${param}: ${issue?.message ?? 'cannot be read'}.`)
  }
  const { name, schema, strict } = read.data
  if (schema.type !== 'object')
    throw badField('response_format.json_schema.schema', 'The schema must be of the type object.')
  return { type, name, schema, ...(strict === true && { isStrict: true }) }
}

/** A model by its name, with the formats that its provider can enforce. */
type FormatsOf = { readonly id: string; readonly formats?: readonly AnswerFormat['type'][] | undefined }

/**
 * Requires that the model supports a format. @param field name of the field in the request's API @throws ApiError 400 if the model does not support
 * the format
 */
export function requireFormat({ id, formats = [] }: FormatsOf, format: AnswerFormat | undefined, field: string): void {
  if (format === undefined || formats.includes(format.type)) return
  const others = ['text', ...formats].join(' or ')
  throw badField(field, `${id} cannot be held to ${format.type}. Ask for ${others}, or choose another model in JARVIS.`)
}

/** Says how an answer violates its format; undefined if the answer fits. */
export function formatFault(text: string, format: AnswerFormat): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'It is no JSON.'
  }
  return faultIn(value, format.type === 'json_schema' ? format.schema : { type: 'object' })
}
