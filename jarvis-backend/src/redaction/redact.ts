import { assignmentHint, isSecretKey, openAssignments, redactAssignments, redacted } from './assignments.ts'
import { inBase64 } from './base64.ts'
import { isRadioKey } from './homelab.ts'
import { isFlag, isNaming, redactJson, valueName } from './json.ts'
import { redactHeadlessKeys } from './keys.ts'
import { anyOf } from './shape.ts'
import { shapes } from './shapes.ts'

export type Redactor = {
  /** Replaces secrets by `[redacted]`; returns the same string where there are none. Never throws. */
  text(value: string): string
  /** Redacts every string of a JSON value; a value under a key such as `password` is replaced whole. Keys stay. */
  value<T>(value: T): T
}

/** Cheap first test: a text without a match holds no secret of any shape. */
const hint = new RegExp(anyOf([...shapes.flatMap((shape) => shape.hint ?? []), assignmentHint]), 'i')

/** Tests per hint, shared by shapes, because a test costs less than a shape's search. */
const hints = [...new Set(shapes.flatMap((shape) => shape.hint ?? []))].map(
  (each) => [each, new RegExp(each, 'i')] as const,
)
/** Approximates the text of a JSON string, for a test with hints. */
const unescaped = (text: string) =>
  text
    .replace(/(?<!\\)\\+[nr]/g, '\n')
    .replace(/(?<!\\)\\+t/g, '\t')
    .replaceAll('\\', '')
const maxPasses = 4
/** Keys whose meaning makes their text a secret. */
const telling = /authorization|cookie|(?:^|[_-])auth$|^x-[\w-]{1,40}$|dockerconfigjson|sess(?:ion)?_?id|connect\.sid/i
/** Shorter configured secrets are ignored, because they would match ordinary words. */
const minSecret = 6
const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Spellings of a secret: plain, in JSON, in a URL, in base64 at any byte offset, in hex; longest first. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const url = encodeURIComponent(secret.toWellFormed())
  const base64 = inBase64(bytes).flatMap((own) =>
    own.length < 8 ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')],
  )
  const all = [secret, JSON.stringify(secret).slice(1, -1), url, url.replace(/%../g, (code) => code.toLowerCase())]
  return [...new Set([...all, ...base64, bytes.toString('hex')])].sort((a, b) => b.length - a.length)
}

/** Matches text at the end that could still become a secret; `lead` is the harmless part. */
const unfinishedShapes: readonly RegExp[] = [
  ...shapes.flatMap(({ open }) => (open === 'line' ? [] : open)),
  ...openAssignments,
]
/** Hints that hold back the line they are on. */
const lineHint = new RegExp(anyOf(shapes.flatMap(({ open, hint }) => (open === 'line' ? (hint ?? []) : []))), 'i')
/** Characters of a secret's beginning that may be shown before the rest is held back. */
const minPrefix = 4

export type SearchingRedactor = Redactor & {
  /** Cheap test whether `text` may hold a secret or a secret's name. */
  isSuspicious(text: string): boolean
  /** Whether `text` holds a configured secret, or ends with the beginning of one. */
  holdsOwn(text: string): boolean
  /** Index from which the end of `text` could still become a secret; the text's length where it could not. */
  unfinishedAt(text: string): number
}

/** Makes a redactor. @param secrets configured ones, found in any spelling; those under 6 characters are ignored */
export function createRedactor(secrets: readonly string[]): SearchingRedactor {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= minSecret).flatMap(spellings)
  const alternatives = (parts: string[]) => [...new Set(parts)].map(literal).join('|')
  const own = known.length === 0 ? undefined : new RegExp(alternatives(known), 'g')
  const begins = known.map((spelling) => spelling.slice(0, minPrefix))
  const begun = known.length === 0 ? undefined : new RegExp(alternatives(begins))

  function once(value: string): string {
    const isEscaped = value.includes('\\') && hint.test(unescaped(value))
    // Not one pattern of both: each redactor would compile all hints again, which takes more than all else at a start.
    if (!isEscaped && !hint.test(value) && begun?.test(value) !== true) return value
    const result = own === undefined ? value : value.replace(own, redacted)
    return isEscaped || hint.test(result) ? redactJson(result, plain, keyed, option) : result
  }

  /** Redacts text outside JSON documents. */
  function plain(value: string): string {
    let result = value
    // `replace` has no overload for a string or a function.
    const found = new Set<string | undefined>([undefined])
    for (const [each, pattern] of hints) if (pattern.test(value)) found.add(each)
    for (const { find, put, hint } of shapes) if (found.has(hint)) result = result.replace(find, put as string)
    return redactAssignments(redactHeadlessKeys(result))
  }

  /** Redacts a value by its key. Under some keys the text is a secret only together with the key. */
  function keyed(key: string, value: string): string {
    if (isSecretKey(key, value) || (isRadioKey(key) && /^[\da-f]{32}$/i.test(value))) return redacted
    if (!telling.test(key)) return text(value)
    const lead = `${key}: `
    const safe = text(`${lead}${value}`)
    return safe.startsWith(lead) ? safe.slice(lead.length) : redacted
  }

  /** Redacts a value after an option in a list of arguments: `["--token", "x"]`, `["curl", "-u", "a:b"]`. */
  function option(program: string, flag: string, value: string): string {
    if (isSecretKey(flag, value)) return redacted
    const lead = `${program.slice(program.lastIndexOf('/') + 1)} ${flag} `
    const safe = text(lead + value)
    return safe.startsWith(lead) ? safe.slice(lead.length) : redacted
  }

  /** Repeats while something changes, because text without a secret may match differently. */
  function text(value: string): string {
    let result = once(value)
    for (let before = value, pass = 1; pass < maxPasses && result !== before; pass += 1) {
      before = result
      result = once(result)
    }
    return result
  }

  function deep(value: unknown, key: string): unknown {
    if (typeof value === 'string') return keyed(key, value)
    if (typeof value === 'number') return isSecretKey(key, value) ? redacted : value
    if (Array.isArray(value)) {
      if (isRadioKey(key) && value.length > 0) return redacted
      const [program] = value
      return value.map((item, at) => {
        const flag = at > 0 ? value[at - 1] : undefined
        return isFlag(flag) && typeof item === 'string'
          ? option(typeof program === 'string' && at > 1 ? program : '', flag, deep(item, key) as string)
          : deep(item, key)
      })
    }
    if (typeof value !== 'object' || value === null) return value
    const safe: Record<string, unknown> = {}
    const pair = 'value' in value ? Object.entries(value).find(([name]) => isNaming(name)) : undefined
    const called = typeof pair?.[1] === 'string' ? valueName(pair[0], pair[1]) : 'value'
    for (const name of Object.keys(value)) {
      const member = deep(value[name as keyof typeof value], name === 'value' ? called : name)
      // A plain assignment would set the prototype.
      if (name === '__proto__')
        Object.defineProperty(safe, name, { value: member, enumerable: true, configurable: true, writable: true })
      else safe[name] = member
    }
    return safe
  }

  function holdsOwn(value: string): boolean {
    if (begun?.test(value) !== true) return false
    return known.some((spelling, index) => {
      const prefix = begins[index] ?? ''
      for (let at = value.indexOf(prefix); at !== -1; at = value.indexOf(prefix, at + 1)) {
        if (spelling.startsWith(value.slice(at, at + spelling.length))) return true
      }
      return false
    })
  }

  function unfinishedAt(tail: string): number {
    const lineAt = Math.max(tail.lastIndexOf('\n'), tail.lastIndexOf('\r'), 0)
    let at = lineHint.test(tail.slice(lineAt)) ? lineAt : tail.length
    for (const shape of unfinishedShapes) {
      const match = shape.exec(tail)
      if (match !== null) at = Math.min(at, match.index + (match.groups?.lead?.length ?? 0))
    }
    for (const [index, spelling] of known.entries()) {
      const prefix = begins[index] ?? ''
      let from = Math.max(0, tail.length - spelling.length + 1)
      for (from = tail.indexOf(prefix, from); from !== -1 && from < at; from = tail.indexOf(prefix, from + 1)) {
        if (spelling.startsWith(tail.slice(from))) at = from
      }
    }
    return at
  }

  return {
    text,
    value: <T>(value: T) => deep(value, '') as T,
    isSuspicious: (value) => value.includes('://') || hint.test(value),
    holdsOwn,
    unfinishedAt,
  }
}
