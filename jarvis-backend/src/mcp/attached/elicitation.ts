import type { Answer, Asking, QuestionItem, QuestionResolution } from 'protocol'
import { secretAskedFor, secretNamed } from '../../gate/index.ts'
import { visible } from './text.ts'

const mostFields = 20
const mostOptions = 30
const longestText = 500

/** A field of a form, as the protocol lets a server describe it. */
type Field = {
  type?: unknown
  title?: unknown
  description?: unknown
  format?: unknown
  enum?: unknown
  enumNames?: unknown
  oneOf?: unknown
  items?: { enum?: unknown; anyOf?: unknown; oneOf?: unknown }
  default?: unknown
  minimum?: unknown
  maximum?: unknown
  minLength?: unknown
  maxLength?: unknown
  minItems?: unknown
  maxItems?: unknown
}
export type Elicited = {
  mode?: unknown
  message?: unknown
  url?: unknown
  requestedSchema?: { properties?: Record<string, Field>; required?: unknown }
}
type Value = string | number | boolean | string[]
/** A field, and the value that each of its options stands for. */
type Slot = { name: string; kind: string; values: Value[] }
/** The answer to the server in the form of the MCP specification. */
export type ElicitAnswer = { action: 'accept'; content?: Record<string, Value> } | { action: 'decline' | 'cancel' }
/** A form for a person. `contentOf`: returns the form's values for a person's answers. */
type Form = { asking: Asking; contentOf(answers: readonly Answer[]): Record<string, Value> | undefined }

/** Thrown if JARVIS does not show a server's question; the message has the reason. `code`: JSON-RPC's code for invalid parameters. */
export class NotShown extends Error {
  readonly code = -32602
}

/**
 * Converts the request of an attached server to a question for a person. All texts of the server are treated as data. @throws NotShown if the server
 * asks for a secret, its address is not valid, or the form cannot be shown
 */
export function formOf(server: string, { mode, message, url, requestedSchema }: Elicited): Form {
  const said = typeof message === 'string' ? visible(message, 2 * longestText) : ''
  const base = { server, ...(said !== '' && { message: said }) }
  if (mode === 'url') return { asking: { ...base, url: addressOf(url), items: [] }, contentOf: () => undefined }
  const fields = Object.entries(requestedSchema?.properties ?? {})
  if (fields.length > mostFields)
    throw new NotShown(`A form may have ${mostFields} fields, and this one has ${fields.length}.`)
  const required = Array.isArray(requestedSchema?.required) ? requestedSchema.required : []
  const slots: Slot[] = []
  const items = fields.map(([name, field]) => {
    refuseSecret(name, field)
    const { item, slot } = fieldOf(name, field)
    slots.push(slot)
    return { ...item, ...(required.includes(name) && { isRequired: true as const }) }
  })
  return { asking: { ...base, items }, contentOf: (answers) => contentOf(slots, answers) }
}

/** Returns the answer to the server when the question ends. Without a person's answer, the answer is never `accept`. */
export function answerOf(
  { contentOf }: Pick<Form, 'contentOf'>,
  { end, answers = [] }: QuestionResolution,
): ElicitAnswer {
  if (end === 'declined') return { action: 'decline' }
  if (end !== 'answered') return { action: 'cancel' }
  const content = contentOf(answers)
  return { action: 'accept', ...(content && { content }) }
}

function addressOf(url: unknown): string {
  const given = typeof url === 'string' ? url : ''
  const address = URL.canParse(given) ? new URL(given) : undefined
  if (address === undefined || !/^https?:$/.test(address.protocol) || given.length > 2_000)
    throw new NotShown('Its address is no http or https address.')
  if (address.username !== '' || address.password !== '') throw new NotShown('Its address holds a name or a password.')
  return address.href
}

function refuseSecret(name: string, { title, description, format }: Field) {
  const named = [name, title, format].map((one) => (typeof one === 'string' ? secretNamed(one) : undefined))
  const told = typeof description === 'string' ? secretAskedFor(description) : undefined
  const word = named.find((one) => one !== undefined) ?? told
  if (word !== undefined)
    throw new NotShown(
      `The field ${visible(name, 60)} asks for a secret ("${word}"). JARVIS asks nobody for secrets: set it where the server is configured.`,
    )
}

function fieldOf(name: string, field: Field): { item: QuestionItem; slot: Slot } {
  const { type, title, description } = field
  const text = visible(
    [title, description].find((one) => typeof one === 'string' && one.trim() !== '')?.toString() ?? name,
    longestText,
  )
  const more = typeof title === 'string' && typeof description === 'string' ? [visible(description, longestText)] : []
  const hint = [...more, ...limitsOf(field)].join('; ')
  const item = { text, ...(hint !== '' && { hint }) }
  const choices = choicesOf(type === 'array' ? (field.items ?? {}) : field)
  if (choices !== undefined) {
    if (choices.length > mostOptions)
      throw new NotShown(`The field ${visible(name, 60)} has more than ${mostOptions} choices.`)
    const options = choices.map(({ label }) => ({ label: visible(label, 120) }))
    return {
      item: { ...item, options, typed: 'none', ...(type === 'array' && { isMultiple: true as const }) },
      slot: { name, kind: type === 'array' ? 'list' : 'choice', values: choices.map(({ value }) => value) },
    }
  }
  if (type === 'boolean')
    return {
      item: { ...item, options: [{ label: 'true' }, { label: 'false' }], typed: 'none' },
      slot: { name, kind: 'choice', values: [true, false] },
    }
  if (type !== 'string' && type !== 'number' && type !== 'integer')
    throw new NotShown(`The field ${visible(name, 60)} is of no kind that can be shown.`)
  return {
    item: { ...item, options: [], typed: type === 'string' ? 'text' : type },
    slot: { name, kind: type, values: [] },
  }
}

/** Returns the options of an enum, in each form that versions of the MCP specification have used. */
function choicesOf({
  enum: plain,
  enumNames,
  oneOf,
  anyOf,
}: {
  enum?: unknown
  enumNames?: unknown
  oneOf?: unknown
  anyOf?: unknown
}) {
  const titled = [oneOf, anyOf].find(Array.isArray) as { const?: unknown; title?: unknown }[] | undefined
  if (titled !== undefined)
    return titled.map(({ const: value, title }) => ({ value: String(value), label: String(title ?? value) }))
  if (!Array.isArray(plain)) return undefined
  const names = Array.isArray(enumNames) ? enumNames : []
  return plain.map((value, place) => ({ value: String(value), label: String(names[place] ?? value) }))
}

/** Returns the server's limits for a value, in words. A default is mentioned and never filled in, because only a person answers. */
function limitsOf({
  format,
  minimum,
  maximum,
  minLength,
  maxLength,
  minItems,
  maxItems,
  default: usual,
}: Field): string[] {
  const between = (least: unknown, most: unknown, of: string) =>
    least === undefined && most === undefined ? [] : [`${[least, most].map((one) => one ?? '…').join(' to ')}${of}`]
  return [
    ...(typeof format === 'string' ? [visible(format, 40)] : []),
    ...between(minimum, maximum, ''),
    ...between(minLength, maxLength, ' characters'),
    ...between(minItems, maxItems, ' of them'),
    ...(usual === undefined ? [] : [`the server suggests ${visible(JSON.stringify(usual), 100)}`]),
  ]
}

function contentOf(slots: readonly Slot[], answers: readonly Answer[]): Record<string, Value> {
  const content: [string, Value][] = []
  for (const [place, { name, kind, values }] of slots.entries()) {
    const { chosen = [], text } = answers[place] ?? {}
    const picked = chosen.flatMap((at) => values[at] ?? [])
    if (kind === 'list' && picked.length > 0) content.push([name, picked.map(String)])
    else if (kind === 'choice') {
      const [one] = chosen.map((at) => values[at])
      if (one !== undefined) content.push([name, one])
    } else if (text !== undefined) content.push([name, kind === 'string' ? text : Number(text)])
  }
  return Object.fromEntries(content)
}
