import { type Fields, fieldsIfAny } from '../fields.ts'

/** The content of a server's refusal. `text`: its sentence. `words`: its types, codes and reasons. */
export type Said = { text: string; words: string[] }

/** Maximum depth that is read. No server nests its error deeper. */
const deepest = 6
/** Maximum length of a text that is read, characters. */
const longest = 4_000

/** Fields that hold the server's own sentence, the most telling first. */
const sentences = [
  'message',
  'error',
  'errors',
  'detail',
  'msg',
  'error_message',
  'error_msg',
  'errorMessage',
  'error_description',
  'Message',
  'base_resp',
  'status_msg',
  'fault',
  'faultstring',
  'title',
  'description',
] as const
/** Names of fields that hold one word, such as a code. */
const names = ['type', '__type', 'code', 'status', 'reason', 'error_code', 'errorCode', 'quotaId'] as const
/** Matches sentences of intermediaries without information. The message of the server behind them is in another field. */
const empty =
  /^(?:provider returned error|upstream (?:request |provider )?error|error from provider|bad request|unknown error|error|\d{3})?[.:]?$/i

/** Reads a server's refusal in any form: an object, a list of objects, JSON inside a string, an HTML page, or plain text. */
export function saidBy(value: unknown): Said {
  const words: string[] = []
  const text = sentenceOf(value, words, 0)
  return { text: text.slice(0, longest), words: [...new Set(words)].slice(0, 40) }
}

function sentenceOf(value: unknown, words: string[], depth: number): string {
  if (depth > deepest) return ''
  if (typeof value === 'string') return textOf(value, words, depth)
  if (Array.isArray(value)) {
    const found = value.slice(0, 3).map((item) => fieldFault(item) ?? sentenceOf(item, words, depth + 1))
    return [...new Set(found.filter((text) => text !== ''))].join('; ')
  }
  const fields = fieldsIfAny(value)
  if (fields === undefined) return ''
  for (const name of names) if (typeof fields[name] === 'string') words.push(fields[name] as string)
  if (typeof fields.n_ctx === 'number') words.push(`n_ctx: ${fields.n_ctx}`)
  const found = sentences
    .map((name) => sentenceOf(fields[name], words, depth + 1))
    .find((text) => text !== '' && !empty.test(text))
  // OpenRouter wraps the provider's message in `metadata.raw`. Google and Azure put their reasons into fields beside the message.
  const behind = sentenceOf(fieldsIfAny(fields.metadata)?.raw, words, depth + 1)
  for (const more of [fields.details, fields.innererror, fields.violations]) wordsIn(more, words, depth + 1)
  // The body that `asErrorBody` kept. Its sentence is known already, so only its words are used.
  sentenceOf(fields.body, words, depth + 1)
  if (behind !== '') return found === undefined ? behind : `${found}: ${behind}`
  return found ?? sentences.map((name) => fields[name]).find((text) => typeof text === 'string') ?? ''
}

/** Returns the error of one field in FastAPI's form as a line; undefined for any other value. */
function fieldFault(item: unknown): string | undefined {
  const { loc, msg } = fieldsIfAny(item) ?? {}
  if (!Array.isArray(loc) || typeof msg !== 'string') return undefined
  return `${loc.filter((part) => typeof part !== 'object').join('.')}: ${msg}`
}

function wordsIn(value: unknown, words: string[], depth: number): void {
  if (depth > deepest) return
  for (const item of (Array.isArray(value) ? value : [value]).slice(0, 10)) {
    const fields: Fields = fieldsIfAny(item) ?? {}
    for (const name of [...names, '@type'] as const)
      if (typeof fields[name] === 'string') words.push(fields[name] as string)
    for (const more of [fields.violations, fields.innererror]) if (more !== undefined) wordsIn(more, words, depth + 1)
  }
}

function textOf(text: string, words: string[], depth: number): string {
  const trimmed = text.trim()
  if (/^[[{]/.test(trimmed)) {
    const inside = parsed(trimmed)
    if (inside !== undefined) return sentenceOf(inside, words, depth + 1)
  }
  return isPage(trimmed) ? titleOf(trimmed) : trimmed
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isPage = (text: string) => /^(?:<\?xml|<!doctype|<html|<head|<body|<center|<h1)/i.test(text)

/** Returns the title of an HTML page, or its first heading. No other part of the page is shown. */
function titleOf(page: string): string {
  const [, title = ''] =
    /<title[^<>]{0,200}>([^<]{1,300})</i.exec(page) ?? /<h1[^<>]{0,200}>([^<]{1,300})</i.exec(page) ?? []
  return title.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&nbsp;', ' ').trim()
}

/**
 * Returns the body of a refusal in the form that the SDKs read, `{"error": {…}}`. A body in this form is returned unchanged. Any other body is kept
 * under `body`, so that no part of the server's message is lost.
 */
export function asErrorBody(text: string): string {
  const body = parsed(text)
  if (fieldsIfAny(fieldsIfAny(body)?.error) !== undefined) return text
  const message = saidBy(body ?? text).text
  return JSON.stringify({ error: { message, body: body ?? (isPage(text.trim()) ? '' : text.slice(0, longest)) } })
}
