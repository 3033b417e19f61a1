import { isSecretKey, redacted } from './assignments.ts'
import { isRadioKey } from './homelab.ts'

/** Deeper documents are redacted as text. */
const deepest = 100
const space = /[ \t\r\n]*/y
const stringToken = /"(?:[^"\\\n]|\\["\\/bfnrtu])*"/y
const bareToken = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
/** Possible start of a document. After a name or a bracket it is an index (`env["DB_PASSWORD"]`). */
const begins = /(?<![\w\])$])[[{](?=\s{0,80}["[{\]}\d-]|\s{0,80}(?:true|false|null)\b)/g

/** A name before a document: `passwords: ["a", "b"]`. */
const nameBefore = /([\w-]{1,64})["']?[ \t]{0,4}[:=][ \t]{0,4}$/

/**
 * Redacts JSON documents in a text string by string, so that they stay valid JSON; text between them is redacted as text. Linear in time.
 * @param keyed redacts a string by its key; members of an array have the array's key
 * @param option redacts a string that follows an option in an array, whose first member is the program
 */
export function redactJson(
  text: string,
  plain: (text: string) => string,
  keyed: (key: string, value: string) => string,
  option: (program: string, flag: string, value: string) => string,
): string {
  let result = ''
  let copied = 0
  begins.lastIndex = 0
  for (let match = begins.exec(text); match !== null; match = begins.exec(text)) {
    const from = match.index
    const [, key = ''] = nameBefore.exec(text.slice(Math.max(copied, from - 80), from)) ?? []
    const document = documentAt(text, from, key, keyed, option)
    begins.lastIndex = Math.max(from + 1, document.at)
    if (document.text === undefined || !document.text.includes('"')) continue
    result += plain(text.slice(copied, from)) + document.text
    copied = document.at
  }
  return copied === 0 ? plain(text) : result + plain(text.slice(copied))
}

/** Redacts a document. `text`: the result; absent where there is no document. `at`: where it ends or becomes invalid. */
function documentAt(
  text: string,
  from: number,
  key: string,
  keyed: (key: string, value: string) => string,
  option: (program: string, flag: string, value: string) => string,
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
  /** Reads a value and appends its redacted form to `out`. @returns false where there is none; the text of a string */
  const value = (key: string, depth: number, argument?: (value: string) => string): string | boolean => {
    out += take(space) ?? ''
    const char = text[at]
    if (depth > deepest) return false
    if (char === '"') {
      const begin = at
      const said = readString()
      if (said === undefined) return false
      const known = keyed(key, said)
      const safe = argument?.(known) ?? known
      out += safe === said ? text.slice(begin, at) : JSON.stringify(safe)
      return said
    }
    if (char === '[') {
      const begun = out
      pass('[')
      if (pass(']')) return true
      let [program, before]: (string | undefined)[] = []
      do {
        const flag = before
        const said = value(key, depth + 1, isFlag(flag) ? (given) => option(program ?? '', flag, given) : undefined)
        if (said === false) return false
        if (before !== undefined) program ??= before
        before = typeof said === 'string' ? said : ''
      } while (pass(','))
      if (!pass(']')) return false
      if (isRadioKey(key)) out = `${begun}"${redacted}"`
      return true
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

/** Whether a member of a list is an option without its value. */
export const isFlag = (item: unknown): item is string =>
  typeof item === 'string' && /^--?[A-Za-z][\w-]{0,40}$/.test(item)

/** Whether a key names the sibling `value`, as in `{"name": "DB_PASSWORD", "value": …}`. */
export const isNaming = (key: string): boolean => /^(?:name|key|(?:full-)?tokenid)$/i.test(key)
/** The name of a `value` beside a naming key. Proxmox returns a new token's secret beside its id. */
export const valueName = (key: string, said: string): string => (/tokenid$/i.test(key) ? 'token_secret' : said)
