import type { Steps } from 'node-kit/steps'
import { isSecretKey, redacted } from './assignments.ts'
import { isRadioKey } from './homelab.ts'

const valuesAStep = 32
/** Deepest nesting of a JSON document. A deeper document is redacted as plain text. */
const deepest = 100
const stringToken = /"(?:[^"\\\n]|\\["\\/bfnrtu])*"/y
/** Matches the text of a string without escapes, which is the same in its JSON token. */
const asItIs = /^[ -[\]-\uffff]*$/
const bareToken = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
/** Matches the possible start of a document. After a name or a bracket it is an index instead (`env["DB_PASSWORD"]`). */
const begins = /(?<![\w\])$])[[{](?=\s{0,80}["[{\]}\d-]|\s{0,80}(?:true|false|null)\b)/g

/** Matches a name before a document: `passwords: ["a", "b"]`. */
const nameBefore = /([\w-]{1,64})["']?[ \t]{0,4}[:=][ \t]{0,4}$/

/** Redacts the parts of a text with JSON documents in it. Long strings take several steps. */
export interface PartRedactor {
  /** Redacts text between documents. */
  plain(text: string): Steps<string>
  /** Redacts a string according to its key. Members of an array have the key of the array. */
  keyed(key: string, value: string): string | Steps<string>
  /** Redacts a string that follows an option in an array. `program`: the first member of the array. */
  option(program: string, flag: string, value: string): string | Steps<string>
}

/**
 * Redacts the JSON documents in a text string by string, so that they stay valid JSON. Text between them is redacted as plain text. Linear in time.
 */
export function* redactJson(text: string, parts: PartRedactor): Steps<string> {
  let result = ''
  let copied = 0
  for (let at = 0; ; ) {
    begins.lastIndex = at
    const match = begins.exec(text)
    if (match === null) break
    const from = match.index
    const [, key = ''] = nameBefore.exec(text.slice(Math.max(copied, from - 80), from)) ?? []
    const document = yield* new JsonDocument(text, from, parts).redacted(key)
    at = Math.max(from + 1, document.at)
    if (document.text === undefined || !document.text.includes('"')) continue
    result += (yield* parts.plain(text.slice(copied, from))) + document.text
    copied = document.at
  }
  return copied === 0 ? yield* parts.plain(text) : result + (yield* parts.plain(text.slice(copied)))
}

/** Redacts a string value again, as the argument of an option. */
type Argument = (value: string) => string | Steps<string>

/** Redacts the document that begins at a place of a text. */
class JsonDocument {
  readonly #text: string
  readonly #parts: PartRedactor
  #at: number
  /** The result for the text up to `#copied`. The text after that place is unchanged so far. */
  #out = ''
  #copied: number
  #read = 0

  constructor(text: string, from: number, parts: PartRedactor) {
    this.#text = text
    this.#parts = parts
    this.#at = from
    this.#copied = from
  }

  /** @returns `text`: the result; absent if there is no document. `at`: the end of the document, or the place where it becomes invalid */
  *redacted(key: string): Steps<{ text?: string; at: number }> {
    const isDocument = (yield* this.#value(key, 0)) !== false
    const at = this.#at
    return isDocument ? { text: this.#out + this.#text.slice(this.#copied, at), at } : { at }
  }

  /** Reads a value. @returns false if there is none; the text if it is a string; otherwise true */
  *#value(key: string, depth: number, argument?: Argument): Steps<string | boolean> {
    this.#skipSpace()
    if (depth > deepest) return false
    this.#read += 1
    if (this.#read % valuesAStep === 0) yield undefined
    const char = this.#text[this.#at]
    if (char === '"') return yield* this.#string(key, argument)
    if (char === '[') return yield* this.#array(key, depth)
    if (char === '{') return yield* this.#object(depth)
    const begin = this.#at
    if (!this.#take(bareToken)) return false
    if (isSecretKey(key, this.#text.slice(begin, this.#at))) this.#put(begin, `"${redacted}"`)
    return true
  }

  /** Reads a string and replaces it by its redacted form. */
  *#string(key: string, argument?: Argument): Steps<string | false> {
    const begin = this.#at
    const said = this.#readString()
    if (said === undefined) return false
    const given = this.#parts.keyed(key, said)
    const known = typeof given === 'string' ? given : yield* given
    const after = argument?.(known) ?? known
    const safe = typeof after === 'string' ? after : yield* after
    if (safe !== said) this.#put(begin, JSON.stringify(safe))
    return said
  }

  *#array(key: string, depth: number): Steps<boolean> {
    const before = { at: this.#at, out: this.#out, copied: this.#copied }
    this.#pass('[')
    if (this.#pass(']')) return true
    let program: string | undefined
    let last: string | undefined
    do {
      const flag = last
      const argument = isFlag(flag) ? (given: string) => this.#parts.option(program ?? '', flag, given) : undefined
      const said: string | boolean = yield* this.#value(key, depth + 1, argument)
      if (said === false) return false
      if (last !== undefined) program ??= last
      last = typeof said === 'string' ? said : ''
    } while (this.#pass(','))
    if (!this.#pass(']')) return false
    if (isRadioKey(key)) {
      this.#out = before.out
      this.#copied = before.copied
      this.#put(before.at, `"${redacted}"`)
    }
    return true
  }

  *#object(depth: number): Steps<boolean> {
    this.#pass('{')
    if (this.#pass('}')) return true
    let named = ''
    do {
      this.#skipSpace()
      const name = this.#readString()
      if (name === undefined || !this.#pass(':')) return false
      const said = yield* this.#value(name === 'value' && named !== '' ? named : name, depth + 1)
      if (said === false) return false
      if (isNaming(name) && typeof said === 'string') named = valueName(name, said)
    } while (this.#pass(','))
    return this.#pass('}')
  }

  #readString(): string | undefined {
    const begin = this.#at
    if (!this.#take(stringToken)) return undefined
    const said = this.#text.slice(begin + 1, this.#at - 1)
    if (asItIs.test(said)) return said
    try {
      return JSON.parse(this.#text.slice(begin, this.#at)) as string
    } catch {
      return undefined
    }
  }

  #pass(char: string): boolean {
    this.#skipSpace()
    if (this.#text[this.#at] !== char) return false
    this.#at += 1
    return true
  }

  #skipSpace(): void {
    const text = this.#text
    while (this.#at < text.length && ' \t\r\n'.includes(text.charAt(this.#at))) this.#at += 1
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const isThere = pattern.test(this.#text)
    if (isThere) this.#at = pattern.lastIndex
    return isThere
  }

  /** Replaces the text from `begin` to the present position. */
  #put(begin: number, safe: string): void {
    this.#out += this.#text.slice(this.#copied, begin) + safe
    this.#copied = this.#at
  }
}

/** Tests if a member of a list is an option whose value is the next member. */
export const isFlag = (item: unknown): item is string =>
  typeof item === 'string' && /^--?[A-Za-z][\w-]{0,40}$/.test(item)

/** Tests if the value of this key is the name of the sibling `value`, as in `{"name": "DB_PASSWORD", "value": …}`. */
export const isNaming = (key: string): boolean => /^(?:name|key|(?:full-)?tokenid)$/i.test(key)
/**
 * Returns the name of a `value`: the text of its naming key. For a token id it is `token_secret`, because Proxmox returns a new token's secret
 * beside its id.
 */
export const valueName = (key: string, said: string): string => (/tokenid$/i.test(key) ? 'token_secret' : said)
