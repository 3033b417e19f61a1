import type { Learned } from '../learned.ts'
import type { ChatBody } from './request.ts'

/** The form in which a server takes the history, as far as its refusals told. */
export type Form = {
  /** Values for the content of a message that has calls and no words. The first is sent. If the server refuses it, the next one is sent. */
  blanks: readonly (string | null)[]
  /** A message of the assistant stands between results and a person's words. */
  bridges: boolean
  /** Results name their tool. */
  names: boolean
  /** The instructions stand before a person's first words, in one message. */
  merges: boolean
  /** Calls bring their reasoning, of which nothing may be known. */
  reasons: boolean
  /** Calls that carry a stand-in for Gemini's signature: none, the calls without a signature, or all. */
  standIns: 'none' | 'missing' | 'all'
}

/** @param isHome a local server: its template may print a null as a word, or fall silent */
export const firstForm = (model: string, isHome: boolean, reasons: boolean): Form => ({
  blanks: isHome ? ['', null, wordless] : [null, '', wordless],
  bridges: false,
  names: false,
  merges: false,
  reasons,
  standIns: /(?:^|\/)gemini-(?:[3-9]|\d\d)/.test(model) ? 'missing' : 'none',
})

/** The form that helped before a restart. */
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

/** Remembers a form that helped. @param first the form of a server that refused nothing */
export function rememberForm(form: Form, first: Form, learned: Learned): void {
  const parts = [
    ...first.blanks.slice(0, first.blanks.length - form.blanks.length).map((_, i) => `form:blanks ${i}`),
    ...(['bridges', 'names', 'merges', 'reasons'] as const).flatMap((part) => (form[part] ? [`form:${part}`] : [])),
    ...(form.standIns === first.standIns ? [] : [`form:standIns ${form.standIns}`]),
  ]
  for (const part of parts) if (!learned.has(part)) learned.add(part)
}

const wordless = '(calls tools)'

/** The text that a call is sent with where Google's own signature is missing, as its documentation has it. */
export const standIn = 'skip_thought_signature_validator'

/** Another form that a refusal asks for; undefined where it asks for none, or for what was sent. @param said the server's words */
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

/** The server takes a field from nobody. */
const isUnknown = (said: string) =>
  /unsupported|unknown|unrecogni[sz]ed|forbidden|extra|not (?:be )?(?:supported|permitted|allowed|included)|(?:should|must) not/i.test(
    said,
  )

/** A role that the model's template does not have. */
const isAboutSystem = (said: string) =>
  /only user and assistant roles/i.test(said) ||
  (/(?<!\w)system(?!\w)/i.test(said) &&
    /role|message/i.test(said) &&
    /support|not allowed|unexpected|unknown|invalid/i.test(said))

/** The order of roles: Mistral's words and number, and those of templates. */
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
