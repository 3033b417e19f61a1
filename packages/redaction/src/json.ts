import type { Steps } from 'node-kit/steps'
import { isSecretKey, redacted } from './assignments.ts'
import { isRadioKey } from './homelab.ts'

const valuesAStep = 32
/** Deeper documents are redacted as text. */
const deepest = 100
const stringToken = /"(?:[^"\\\n]|\\["\\/bfnrtu])*"/y
/** The text of a string without escapes, which is that of its token. */
const asItIs = /^[ -[\]-\uffff]*$/
const bareToken = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
/** Possible start of a document. After a name or a bracket it is an index (`env["DB_PASSWORD"]`). */
const begins = /(?<![\w\])$])[[{](?=\s{0,80}["[{\]}\d-]|\s{0,80}(?:true|false|null)\b)/g

/** A name before a document: `passwords: ["a", "b"]`. */
const nameBefore = /([\w-]{1,64})["']?[ \t]{0,4}[:=][ \t]{0,4}$/

/** Redacts the parts of a text. Long strings take several steps. */
export type PartRedactor = {
  /** Redacts text between documents. */
  plain(text: string): Steps<string>
  /** Redacts a string by its key; members of an array have the array's key. */
  keyed(key: string, value: string): string | Steps<string>
  /** Redacts a string that follows an option in an array, whose first member is the program. */
  option(program: string, flag: string, value: string): string | Steps<string>
}

/** Redacts JSON documents in a text string by string, so that they stay valid JSON; text between them is redacted as text. Linear in time. */
export function* redactJson(text: string, parts: PartRedactor): Steps<string> {
  let result = ''
  let copied = 0
  for (let at = 0; ; ) {
    begins.lastIndex = at
    const match = begins.exec(text)
    if (match === null) break
    const from = match.index
    const [, key = ''] = nameBefore.exec(text.slice(Math.max(copied, from - 80), from)) ?? []
    const document = yield* documentAt(text, from, key, parts)
    at = Math.max(from + 1, document.at)
    if (document.text === undefined || !document.text.includes('"')) continue
    result += (yield* parts.plain(text.slice(copied, from))) + document.text
    copied = document.at
  }
  return copied === 0 ? yield* parts.plain(text) : result + (yield* parts.plain(text.slice(copied)))
}

/** Redacts a document. `text`: the result; absent where there is no document. `at`: where it ends or becomes invalid. */
function* documentAt(
  text: string,
  from: number,
  key: string,
  { keyed, option }: PartRedactor,
): Steps<{ text?: string; at: number }> {
  let at = from
  /** The result up to `copied`; after that nothing has changed. */
  let out = ''
  let copied = from
  let read = 0
  const put = (begin: number, safe: string) => {
    out += text.slice(copied, begin) + safe
    copied = at
  }
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const isThere = pattern.test(text)
    if (isThere) at = pattern.lastIndex
    return isThere
  }
  const skipSpace = () => {
    while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1
  }
  const pass = (char: string): boolean => {
    skipSpace()
    if (text[at] !== char) return false
    at += 1
    return true
  }
  const readString = (): string | undefined => {
    const begin = at
    if (!take(stringToken)) return undefined
    const said = text.slice(begin + 1, at - 1)
    if (asItIs.test(said)) return said
    try {
      return JSON.parse(text.slice(begin, at)) as string
    } catch {
      return undefined
    }
  }
  /** Reads a string and replaces it by its redacted form. */
  function* string(key: string, argument?: (value: string) => string | Steps<string>): Steps<string | false> {
    const begin = at
    const said = readString()
    if (said === undefined) return false
    const given = keyed(key, said)
    const known = typeof given === 'string' ? given : yield* given
    const after = argument?.(known) ?? known
    const safe = typeof after === 'string' ? after : yield* after
    if (safe !== said) put(begin, JSON.stringify(safe))
    return said
  }
  function* array(key: string, depth: number): Steps<boolean> {
    const [begin, before] = [at, { out, copied }]
    pass('[')
    if (pass(']')) return true
    let program: string | undefined
    let last: string | undefined
    do {
      const flag = last
      const said: string | boolean = yield* value(
        key,
        depth + 1,
        isFlag(flag) ? (given) => option(program ?? '', flag, given) : undefined,
      )
      if (said === false) return false
      if (last !== undefined) program ??= last
      last = typeof said === 'string' ? said : ''
    } while (pass(','))
    if (!pass(']')) return false
    if (isRadioKey(key)) {
      out = before.out
      copied = before.copied
      put(begin, `"${redacted}"`)
    }
    return true
  }
  function* object(depth: number): Steps<boolean> {
    pass('{')
    if (pass('}')) return true
    let named = ''
    do {
      skipSpace()
      const name = readString()
      if (name === undefined || !pass(':')) return false
      const said = yield* value(name === 'value' && named !== '' ? named : name, depth + 1)
      if (said === false) return false
      if (isNaming(name) && typeof said === 'string') named = valueName(name, said)
    } while (pass(','))
    return pass('}')
  }
  /** Reads a value. @returns false where there is none; the text of a string */
  function* value(
    key: string,
    depth: number,
    argument?: (value: string) => string | Steps<string>,
  ): Steps<string | boolean> {
    skipSpace()
    if (depth > deepest) return false
    read += 1
    if (read % valuesAStep === 0) yield undefined
    const char = text[at]
    if (char === '"') return yield* string(key, argument)
    if (char === '[') return yield* array(key, depth)
    if (char === '{') return yield* object(depth)
    const begin = at
    if (!take(bareToken)) return false
    if (isSecretKey(key, text.slice(begin, at))) put(begin, `"${redacted}"`)
    return true
  }
  return (yield* value(key, 0)) === false ? { at } : { text: out + text.slice(copied, at), at }
}

/** Tests if a member of a list is an option without its value. */
export const isFlag = (item: unknown): item is string =>
  typeof item === 'string' && /^--?[A-Za-z][\w-]{0,40}$/.test(item)

/** Tests if a key names the sibling `value`, as in `{"name": "DB_PASSWORD", "value": …}`. */
export const isNaming = (key: string): boolean => /^(?:name|key|(?:full-)?tokenid)$/i.test(key)
/** The name of a `value` beside a naming key. Proxmox returns a new token's secret beside its id. */
export const valueName = (key: string, said: string): string => (/tokenid$/i.test(key) ? 'token_secret' : said)
