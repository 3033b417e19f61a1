import { assignmentHint, isSecretKey, openAssignments, redactAssignments, redacted } from './assignments.ts'
import { isNaming, redactJson, valueName } from './json.ts'
import { redactHeadlessKeys } from './keys.ts'
import { anyOf } from './shape.ts'
import { shapes } from './shapes.ts'

export type Redactor = {
  /** Secrets replaced by `[redacted]`; the very same string where there is none. Never throws. */
  text(value: string): string
  /** The same for every string in a JSON value; what stands under a key such as `password` goes whole. Keys stay. */
  value<T>(value: T): T
}

/** One cheap look before all others: without one of these no shape can match. */
const hint = new RegExp(anyOf([...shapes.flatMap((shape) => shape.hint ?? []), assignmentHint]), 'i')

/** A look for one shape costs less than the search for it; several share one. */
const hints = [...new Set(shapes.flatMap((shape) => shape.hint ?? []))].map(
  (each) => [each, new RegExp(each, 'i')] as const,
)
/** As a string in JSON reads, near enough to look for hints in it. */
const unescaped = (text: string) => text.replace(/\\+[nrt]/g, '\n').replaceAll('\\', '')
const maxPasses = 4
/** Keys that say what their text is. */
const telling = /authorization|cookie|(?:^|[_-])auth$|^x-[\w-]{1,40}$|dockerconfigjson|sess(?:ion)?_?id|connect\.sid/i
/** Shorter ones would hit ordinary words. */
const minSecret = 6
const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** How a secret may be spelt: as it is, in JSON, in a URL, in base64 wherever it stands in the bytes, in hex. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const url = encodeURIComponent(secret.toWellFormed())
  const base64 = [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    // What does not depend on the neighbouring bytes.
    const own = whole
      .replace(/=+$/, '')
      .slice(shift === 0 ? 0 : shift + 1, Math.floor(((shift + bytes.length) * 8) / 6))
    return own.length < 8 ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const all = [secret, JSON.stringify(secret).slice(1, -1), url, url.replace(/%../g, (code) => code.toLowerCase())]
  return [...new Set([...all, ...base64, bytes.toString('hex')])].sort((a, b) => b.length - a.length)
}

/** What may still become a secret when more text follows; `lead` is the part of it that gives nothing away. */
const unfinishedShapes: readonly RegExp[] = [...shapes.map(({ open }) => open), ...openAssignments]
/** Of a secret's beginning, so much may pass before it is held back. */
const minPrefix = 4

export type SearchingRedactor = Redactor & {
  /** Whether `text` holds anything that looks like a secret or its name: one cheap look. */
  isSuspicious(text: string): boolean
  /** Whether `text` holds a secret configured here, or ends with the beginning of one. */
  holdsOwn(text: string): boolean
  /** From where on the end of `text` could still become a secret; its length where it cannot. */
  unfinishedAt(text: string): number
}

/** @param secrets those configured here, found however they are spelt; ones under 6 characters are left out. */
export function createRedactor(secrets: readonly string[]): SearchingRedactor {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= minSecret).flatMap(spellings)
  const alternatives = (parts: string[]) => [...new Set(parts)].map(literal).join('|')
  const own = known.length === 0 ? undefined : new RegExp(alternatives(known), 'g')
  const begins = known.map((spelling) => spelling.slice(0, minPrefix))
  const begun = known.length === 0 ? undefined : new RegExp(alternatives(begins))
  const suspicious = known.length === 0 ? hint : new RegExp(`${hint.source}|${alternatives(begins)}`, 'i')

  function once(value: string): string {
    const isEscaped = value.includes('\\') && hint.test(unescaped(value))
    if (!isEscaped && !suspicious.test(value)) return value
    const result = own === undefined ? value : value.replace(own, redacted)
    return isEscaped || hint.test(result) ? redactJson(result, plain, keyed) : result
  }

  /** What is no JSON. */
  function plain(value: string): string {
    let result = value
    // A string or a function, which the types of `replace` know one at a time.
    const found = new Set<string | undefined>([undefined])
    for (const [each, pattern] of hints) if (pattern.test(value)) found.add(each)
    for (const { find, put, hint } of shapes) if (found.has(hint)) result = result.replace(find, put as string)
    return redactAssignments(redactHeadlessKeys(result))
  }

  /** What stands under a key: of some, the text reads as a secret only together with it. */
  function keyed(key: string, value: string): string {
    if (isSecretKey(key, value)) return redacted
    if (!telling.test(key)) return text(value)
    const lead = `${key}: `
    const safe = text(`${lead}${value}`)
    return safe.startsWith(lead) ? safe.slice(lead.length) : redacted
  }

  /** Again where something was found: what is left may read differently without it. */
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
    if (Array.isArray(value)) return value.map((item) => deep(item, key))
    if (typeof value !== 'object' || value === null) return value
    const safe: Record<string, unknown> = {}
    const pair = 'value' in value ? Object.entries(value).find(([name]) => isNaming(name)) : undefined
    const called = typeof pair?.[1] === 'string' ? valueName(pair[0], pair[1]) : 'value'
    for (const name of Object.keys(value)) {
      const member = deep(value[name as keyof typeof value], name === 'value' ? called : name)
      // Assigned, this one would be the prototype.
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
    let at = tail.length
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
