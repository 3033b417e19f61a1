import type { Learned } from '../learned.ts'
import type { ChatBody } from './request.ts'

/** The form in which a server accepts the history, as learned from its refusals. */
export type Form = {
  /** Values for the content of a message that has calls and no words. The first is sent. If the server refuses it, the next one is sent. */
  blanks: readonly (string | null)[]
  /** A message of the assistant is inserted between tool results and a person's message. */
  bridges: boolean
  /** Each tool result has the name of its tool. */
  names: boolean
  /** The instructions and the first message of the person are one message. */
  merges: boolean
  /** Messages with tool calls have the field for reasoning, even if no reasoning is known. */
  reasons: boolean
  /** The calls that get a stand-in for Gemini's signature: none, the calls without a signature, or all. */
  standIns: 'none' | 'missing' | 'all'
}

/** Returns the form of the first request. @param isHome true for a local server; its template may print null as a word, or give an empty answer */
export const firstForm = (model: string, isHome: boolean, reasons: boolean): Form => ({
  blanks: isHome ? ['', null, wordless] : [null, '', wordless],
  bridges: false,
  names: false,
  merges: false,
  reasons,
  standIns: /(?:^|\/)gemini-(?:[3-9]|\d\d)/.test(model) ? 'missing' : 'none',
})

/** Returns the first form, with the changes that the server needed before the last restart. */
export function rememberedForm(first: Form, learned: Pick<Learned, 'has'>): Form {
  const gone = first.blanks.findLastIndex((_, i) => learned.has(`form:blanks ${i}`))
  return {
    blanks: first.blanks.slice(gone + 1),
    bridges: first.bridges || learned.has('form:bridges'),
    names: first.names || learned.has('form:names'),
    merges: first.merges || learned.has('form:merges'),
    reasons: first.reasons || learned.has('form:reasons'),
    standIns: (['all', 'missing'] as const).find((which) => learned.has(`form:standIns ${which}`)) ?? first.standIns,
  }
}

/** Stores a form that worked. @param first the form that is sent to a server that has refused nothing */
export function rememberForm(form: Form, first: Form, learned: Learned): void {
  const parts = [
    ...first.blanks.slice(0, first.blanks.length - form.blanks.length).map((_, i) => `form:blanks ${i}`),
    ...(['bridges', 'names', 'merges', 'reasons'] as const).flatMap((part) => (form[part] ? [`form:${part}`] : [])),
    ...(form.standIns === first.standIns ? [] : [`form:standIns ${form.standIns}`]),
  ]
  for (const part of parts) if (!learned.has(part)) learned.add(part)
}

const wordless = '(calls tools)'

/** Stand-in for a missing signature of Gemini, from Google's documentation. */
export const standIn = 'skip_thought_signature_validator'

/**
 * Returns the form that a refusal asks for; undefined if it asks for no other form, or for the form that was sent. @param said the server's message
 */
export function formAfter(said: string, form: Form, sent: ChatBody): Form | undefined {
  const has = (wanted: (message: Fields, after: Fields | undefined) => boolean) =>
    sent.messages.some((message, i) => wanted(message, sent.messages[i - 1]))
  if (/thought[ _]?signature/i.test(said) && has(calls))
    return form.standIns === 'all' ? undefined : { ...form, standIns: form.standIns === 'none' ? 'missing' : 'all' }
  const isBare = has((message) => calls(message) && !('reasoning_content' in message))
  if (/reasoning_content/.test(said))
    return isBare && !form.reasons && !isUnknown(said) ? { ...form, reasons: true } : undefined
  const bridges = has(({ role }, after) => role === 'user' && after?.role === 'tool')
  if (!form.bridges && bridges && isAboutOrder(said)) return { ...form, bridges: true }
  if (!form.merges && has(({ role }) => role === 'system') && isAboutSystem(said)) return { ...form, merges: true }
  if (!form.names && has(({ role }) => role === 'tool') && isAboutName(said)) return { ...form, names: true }
  const [, ...blanks] = form.blanks
  const isBlank = has((message) => calls(message) && message.content === form.blanks[0])
  return isBlank && blanks.length > 0 && isAboutBlank(said) ? { ...form, blanks } : undefined
}

type Fields = ChatBody['messages'][number]
const calls = (message: Fields) => message.role === 'assistant' && message.tool_calls !== undefined

/** True if the server refuses a field in every message. */
const isUnknown = (said: string) =>
  /unsupported|unknown|unrecogni[sz]ed|forbidden|extra|not (?:be )?(?:supported|permitted|allowed|included)|(?:should|must) not/i.test(
    said,
  )

/** True if a refusal says that the model's template has no system role. */
const isAboutSystem = (said: string) =>
  /only user and assistant roles/i.test(said) ||
  (/(?<!\w)system(?!\w)/i.test(said) &&
    /role|message/i.test(said) &&
    /support|not allowed|unexpected|unknown|invalid/i.test(said))

/** True if a refusal is about the order of roles: Mistral's message and error number, and the messages of templates. */
const isAboutOrder = (said: string) =>
  /alternat|message_order|["']?3230\b/i.test(said) ||
  (/\buser\b/i.test(said) && /\btool\b/i.test(said) && /after|follow|before|preced|between|order|expect/i.test(said))

const isAboutName = (said: string) =>
  /(?<!\w)name(?!\w)/i.test(said) &&
  /tool|function|messages/i.test(said) &&
  /required|missing|empty|must|expected|without/i.test(said)

/** Content that is null or empty. Some servers name a place in the list of messages, some Go's or Python's null. */
const isAboutBlank = (said: string) =>
  /(?<!\w)content(?!\w)|NoneType|<nil>/i.test(said) &&
  /null|none|nil|empty|string|blank|required|missing|must|should|invalid/i.test(said)
