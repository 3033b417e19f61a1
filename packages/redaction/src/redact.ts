import { createHash } from 'node:crypto'
import { atOnce, inTurns, type Steps } from 'node-kit/steps'
import { assignmentHint, isSecretKey, openAssignments, redactAssignmentsIn, redacted } from './assignments.ts'
import { inBase64 } from './base64.ts'
import { isRadioKey } from './homelab.ts'
import { isFlag, isNaming, redactJson, valueName } from './json.ts'
import { redactHeadlessKeys } from './keys.ts'
import { anyOf, type Shape } from './shape.ts'
import { shapes } from './shapes.ts'

export type Redactor = {
  /** Replaces secrets by `[redacted]`; returns the same string where there are none. Never throws. */
  text(value: string): string
  /** Redacts every string of a JSON value; a value under a key such as `password` is replaced whole. Keys stay. */
  value<T>(value: T): T
  /** The result of `value`, for a long text or value: other work goes on after some milliseconds. */
  later<T>(value: T): Promise<T>
}

/** Cheap first test: a text without a match holds no secret of any shape. */
const hint = new RegExp(anyOf([...shapes.flatMap((shape) => shape.hint ?? []), assignmentHint]), 'i')

/** Tests per hint, shared by shapes, because a test costs less than a shape's search. */
const hints = [...new Set(shapes.flatMap((shape) => shape.hint ?? []))].map(
  (each) => [each, new RegExp(each, 'i')] as const,
)
const eachHint = hints.map((each) => [each])
const eachShape = shapes.map((each) => [each])
// A loop within a generator is slow.
function addFound(some: typeof hints, value: string, found: Set<string | undefined>): void {
  for (const [each, pattern] of some) if (pattern.test(value)) found.add(each)
}
function withoutShapes(some: readonly Shape[], value: string, found: ReadonlySet<string | undefined>): string {
  let result = value
  // `replace` has no overload for a string or a function.
  for (const { find, put, hint } of some) if (found.has(hint)) result = result.replace(find, put as string)
  return result
}

/** Characters that are tested with hints in one step, and those of its end that are tested again with the next ones. No hint matches more. */
const hinted = { step: 65_536, again: 1_024 }
/** Tests if a text matches `pattern` after `read`, which changes only backslashes and the characters after them. */
function* holds(pattern: RegExp, text: string, read = (part: string) => part): Steps<boolean> {
  let before = ''
  for (let at = 0; ; ) {
    let end = at + hinted.step
    // The letter after a backslash belongs to it.
    if (text[end - 1] === '\\' && text[end] !== '\\') end += 1
    const part = before + read(text.slice(at, end))
    if (pattern.test(part)) return true
    if (end >= text.length) return false
    before = part.slice(-hinted.again)
    at = end
    yield undefined
  }
}
/** Approximates the text of a JSON string, for a test with hints. */
const unescaped = (text: string) =>
  text
    .replace(/(?<!\\)\\+[nr]/g, '\n')
    .replace(/(?<!\\)\\+t/g, '\t')
    .replaceAll('\\', '')
const maxPasses = 4
/** A text of up to so many characters is redacted in one step. */
const short = 4_096
const valuesAStep = 32
/** Characters of texts whose redacted form is remembered, because a text that was redacted in steps is then stored in one. */
const mostRemembered = 2_000_000
/** Characters that a remembered text without a secret counts as: only its hash is kept. */
const unchangedCost = 100
/** Shorter texts are looked through as fast as they are hashed. */
const shortestRemembered = 256
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64')
const longestHarmless = 64
const mostHarmless = 1_000
/** How long other work waits for a long text. */
const turnMs = 10
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
/** Ends a word. */
const wordEnd = /(?=[\s"'])/
/** Hints that hold back the line they are on. */
const lineHint = new RegExp(anyOf(shapes.flatMap(({ open, hint }) => (open === 'line' ? (hint ?? []) : []))), 'i')
/** Characters of a secret's beginning that may be shown before the rest is held back. */
const minPrefix = 4

/** `escaped`: a hint shows once backslashes are taken away. */
type Look = 'clean' | 'suspicious' | 'escaped'
type Leaf = string | number | boolean | bigint | symbol | null | undefined
const isSteps = <T>(made: Leaf | Steps<T>): made is Steps<T> => typeof made === 'object' && made !== null

export type SearchingRedactor = Redactor & {
  /** Cheap test whether `text` may hold a secret or a secret's name. */
  isSuspicious(text: string): boolean
  /** Tests if `text` holds a configured secret, or ends with the beginning of one. */
  holdsOwn(text: string): boolean
  /** Index from which the end of `text` could still become a secret; the text's length where it could not. */
  unfinishedAt(text: string): number
  /** Finds where an unfinished secret ends in the text that follows `text`. */
  endOf(text: string): RegExp
}

/** Makes a redactor. @param secrets configured ones, found in any spelling; those under 6 characters are ignored */
export function createRedactor(secrets: readonly string[]): SearchingRedactor {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= minSecret).flatMap(spellings)
  const alternatives = (parts: string[]) => [...new Set(parts)].map(literal).join('|')
  const own = known.length === 0 ? undefined : new RegExp(alternatives(known), 'g')
  const begins = known.map((spelling) => spelling.slice(0, minPrefix))
  const begun = known.length === 0 ? undefined : new RegExp(alternatives(begins))

  /** Cache of the last short texts with a hint and no secret, because few recur often in a document. */
  const harmless = new Set<string>()
  let seen = 0
  const isDue = () => {
    seen += 1
    return seen % valuesAStep === 0
  }

  // Not one pattern of both: each redactor would compile all hints again, which takes more than all else at a start.
  const look = (value: string): Look =>
    value.includes('\\') && hint.test(unescaped(value))
      ? 'escaped'
      : hint.test(value) || begun?.test(value) === true
        ? 'suspicious'
        : 'clean'
  function* lookIn(value: string): Steps<Look> {
    if (value.length <= short) return look(value)
    if (value.includes('\\') && (yield* holds(hint, value, unescaped))) return 'escaped'
    if (yield* holds(hint, value)) return 'suspicious'
    return begun !== undefined && (yield* holds(begun, value)) ? 'suspicious' : 'clean'
  }

  function* onceIn(value: string, looks: Look): Steps<string> {
    if (looks === 'clean') return value
    const result = own === undefined ? value : value.replace(own, redacted)
    const isHinted = looks === 'escaped' || (result.length <= short ? hint.test(result) : yield* holds(hint, result))
    return isHinted ? yield* redactJson(result, { plain: plainIn, keyed, option }) : result
  }

  /** Redacts text outside JSON documents. */
  function* plainIn(value: string): Steps<string> {
    const isShort = value.length <= short
    const found = new Set<string | undefined>([undefined])
    for (const some of isShort ? [hints] : eachHint) {
      addFound(some, value, found)
      if (!isShort) yield undefined
    }
    let result = value
    for (const some of isShort ? [shapes] : eachShape) {
      result = withoutShapes(some, result, found)
      if (!isShort) yield undefined
    }
    return yield* redactAssignmentsIn(yield* redactHeadlessKeys(result))
  }

  /** Redacts a value by its key. Under some keys the text is a secret only together with the key. */
  function keyed(key: string, value: string): string | Steps<string> {
    if (isSecretKey(key, value) || (isRadioKey(key) && /^[\da-f]{32}$/i.test(value))) return redacted
    return telling.test(key) ? after(`${key}: `, value) : soon(value)
  }

  /** Redacts a value after an option in a list of arguments: `["--token", "x"]`, `["curl", "-u", "a:b"]`. */
  function option(program: string, flag: string, value: string): string | Steps<string> {
    if (isSecretKey(flag, value)) return redacted
    return after(`${program.slice(program.lastIndexOf('/') + 1)} ${flag} `, value)
  }

  function after(lead: string, value: string): string | Steps<string> {
    const shown = (safe: string) => (safe.startsWith(lead) ? safe.slice(lead.length) : redacted)
    if (value.length <= short) return shown(text(lead + value))
    return (function* () {
      return shown(yield* textIn(lead + value))
    })()
  }

  /** The newest texts by the hash of the given ones, so that no secret is kept. undefined: the given text itself. */
  const remembered = new Map<string, string | undefined>()
  let rememberedChars = 0
  function* longIn(value: string): Steps<string> {
    const hash = hashOf(value)
    if (remembered.has(hash)) return remembered.get(hash) ?? value
    const safe = yield* textIn(value)
    rememberBoth(hash, value, safe)
    return safe
  }
  function rememberBoth(hash: string, value: string, safe: string) {
    remember(hash, safe === value ? undefined : safe)
    // Redacting again changes nothing.
    if (safe !== value) remember(hashOf(safe), undefined)
  }
  const costOf = (safe: string | undefined) => safe?.length ?? unchangedCost
  function remember(hash: string, safe: string | undefined) {
    if (costOf(safe) > mostRemembered || remembered.has(hash)) return
    remembered.set(hash, safe)
    rememberedChars += costOf(safe)
    for (const [oldest, kept] of remembered) {
      if (rememberedChars <= mostRemembered) return
      remembered.delete(oldest)
      rememberedChars -= costOf(kept)
    }
  }

  const soon = (value: string) => (value.length <= short ? text(value) : longIn(value))
  function text(value: string): string {
    if (value.length > short) return atOnce(longIn(value))
    if (value.length >= shortestRemembered) {
      const hash = hashOf(value)
      if (remembered.has(hash)) return remembered.get(hash) ?? value
      const safe = atOnce(textIn(value))
      rememberBoth(hash, value, safe)
      return safe
    }
    const looks = look(value)
    if (looks === 'clean' || harmless.has(value)) return value
    const safe = atOnce(textIn(value, looks))
    if (safe === value && value.length <= longestHarmless) {
      if (harmless.size >= mostHarmless) harmless.clear()
      harmless.add(value)
    }
    return safe
  }

  /** Repeats while something changes, because text without a secret may match differently. */
  function* textIn(value: string, looks?: Look): Steps<string> {
    let result = yield* onceIn(value, looks ?? (yield* lookIn(value)))
    for (let before = value, pass = 1; pass < maxPasses && result !== before; pass += 1) {
      before = result
      result = yield* onceIn(result, yield* lookIn(result))
    }
    return result
  }

  /** Redacts a part of a value: at once where it is short, otherwise in steps. */
  function part(value: unknown, key: string): Leaf | Steps<unknown> {
    if (typeof value === 'object' && value !== null) return membersIn(value, key)
    if (typeof value === 'number') return isSecretKey(key, value) ? redacted : value
    return typeof value === 'string' ? keyed(key, value) : (value as Leaf)
  }

  function* membersIn(value: object, key: string): Steps<unknown> {
    if (Array.isArray(value)) {
      if (isRadioKey(key) && value.length > 0) return redacted
      const [program] = value
      const safe: unknown[] = []
      for (let at = 0; at < value.length; at += 1) {
        if (isDue()) yield undefined
        const [flag, item] = [at > 0 ? value[at - 1] : undefined, value[at]]
        const made = part(item, key)
        const member = isSteps(made) ? yield* made : made
        if (isFlag(flag) && typeof item === 'string') {
          const given = option(typeof program === 'string' && at > 1 ? program : '', flag, member as string)
          safe.push(isSteps(given) ? yield* given : given)
        } else safe.push(member)
      }
      return safe
    }
    const safe: Record<string, unknown> = {}
    const pair = 'value' in value ? Object.entries(value).find(([name]) => isNaming(name)) : undefined
    const called = typeof pair?.[1] === 'string' ? valueName(pair[0], pair[1]) : 'value'
    for (const name of Object.keys(value)) {
      if (isDue()) yield undefined
      const made = part(value[name as keyof typeof value], name === 'value' ? called : name)
      const member = isSteps(made) ? yield* made : made
      // A plain assignment would set the prototype.
      if (name === '__proto__')
        Object.defineProperty(safe, name, { value: member, enumerable: true, configurable: true, writable: true })
      else safe[name] = member
    }
    return safe
  }

  function* partIn(value: unknown): Steps<unknown> {
    const made = part(value, '')
    return isSteps(made) ? yield* made : made
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
    value: <T>(value: T) => atOnce(partIn(value)) as T,
    later: <T>(value: T) => inTurns(partIn(value), turnMs) as Promise<T>,
    isSuspicious: (value) => value.includes('://') || hint.test(value),
    holdsOwn,
    unfinishedAt,
    endOf: (text) => shapes.find(({ open, ends }) => ends && open !== 'line' && open.test(text))?.ends ?? wordEnd,
  }
}
