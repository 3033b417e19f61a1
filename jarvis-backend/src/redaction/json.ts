import { isSecretKey, redacted } from './assignments.ts'

/** Deeper ones are text. */
const deepest = 100
const space = /[ \t\r\n]*/y
const stringToken = /"(?:[^"\\\n]|\\["\\/bfnrtu])*"/y
const bareToken = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
/** Where a document may begin; behind a name or a bracket it is an index (`env["DB_PASSWORD"]`). */
const begins = /(?<![\w\])$])[[{](?=\s{0,80}["[{\]}\d-]|\s{0,80}(?:true|false|null)\b)/g

/** `passwords: ["a", "b"]` */
const nameBefore = /([\w-]{1,64})["']?[ \t]{0,4}[:=][ \t]{0,4}$/

/**
 * Redacts the JSON documents in a text string by string, so that they stay JSON, and what stands between them as text.
 * Linear: what was no document is not looked at again.
 * @param keyed a string under a key without its secrets; of an array's member the array's key
 */
export function redactJson(
  text: string,
  plain: (text: string) => string,
  keyed: (key: string, value: string) => string,
): string {
  let result = ''
  let copied = 0
  begins.lastIndex = 0
  for (let match = begins.exec(text); match !== null; match = begins.exec(text)) {
    const from = match.index
    const [, key = ''] = nameBefore.exec(text.slice(Math.max(copied, from - 80), from)) ?? []
    const document = documentAt(text, from, key, keyed)
    begins.lastIndex = Math.max(from + 1, document.at)
    if (document.text === undefined || !document.text.includes('"')) continue
    result += plain(text.slice(copied, from)) + document.text
    copied = document.at
  }
  return copied === 0 ? plain(text) : result + plain(text.slice(copied))
}

/** `text`: the document without its secrets, absent where there is none; `at`: where it ends, or stops being one. */
function documentAt(
  text: string,
  from: number,
  key: string,
  keyed: (key: string, value: string) => string,
): { text?: string; at: number } {
  let at = from
  let out = ''
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const pass = (char: string): boolean => {
    out += take(space) ?? ''
    if (text[at] !== char) return false
    at += 1
    out += char
    return true
  }
  const readString = (): string | undefined => {
    const token = take(stringToken)
    if (token === undefined) return undefined
    try {
      return JSON.parse(token) as string
    } catch {
      return undefined
    }
  }
  /** Whether there was a value; what came of it is added to `out`. */
  const value = (key: string, depth: number): string | boolean => {
    out += take(space) ?? ''
    const char = text[at]
    if (depth > deepest) return false
    if (char === '"') {
      const begin = at
      const said = readString()
      if (said === undefined) return false
      const safe = keyed(key, said)
      out += safe === said ? text.slice(begin, at) : JSON.stringify(safe)
      return said
    }
    if (char === '[') {
      pass('[')
      if (pass(']')) return true
      do if (value(key, depth + 1) === false) return false
      while (pass(','))
      return pass(']')
    }
    if (char !== '{') {
      const bare = take(bareToken)
      out += bare !== undefined && isSecretKey(key, bare) ? `"${redacted}"` : (bare ?? '')
      return bare !== undefined
    }
    pass('{')
    if (pass('}')) return true
    let named = ''
    do {
      out += take(space) ?? ''
      const begin = at
      const name = readString()
      if (name === undefined) return false
      out += text.slice(begin, at)
      if (!pass(':')) return false
      const said = value(name === 'value' && named !== '' ? named : name, depth + 1)
      if (said === false) return false
      if (isNaming(name) && typeof said === 'string') named = valueName(name, said)
    } while (pass(','))
    return pass('}')
  }
  return value(key, 0) === false ? { at } : { text: out, at }
}

/** `{"name": "DB_PASSWORD", "value": …}`: what the value is called. */
export const isNaming = (key: string): boolean => /^(?:name|key|(?:full-)?tokenid)$/i.test(key)
/** Proxmox answers a new token's secret as the value of its id. */
export const valueName = (key: string, said: string): string => (/tokenid$/i.test(key) ? 'token_secret' : said)
