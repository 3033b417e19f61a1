import { atOnce, inTurns, type Steps } from 'node-kit/steps'
import { assignmentHint, isSecretKey, openAssignments, redactAssignmentsIn, redacted } from './assignments.ts'
import { isRadioKey } from './homelab.ts'
import { isFlag, isNaming, type PartRedactor, redactJson, valueName } from './json.ts'
import { redactHeadlessKeys } from './keys.ts'
import { OwnSecrets } from './own-secrets.ts'
import { RememberedTexts } from './remembered.ts'
import { anyOf, type Shape } from './shape.ts'
import { shapes } from './shapes.ts'

export type Redactor = {
  /** Replaces secrets by `[redacted]`. Returns the same string if there are none. Never throws. */
  text(value: string): string
  /** Redacts every string of a JSON value. A value under a key such as `password` is replaced whole. Keys are not changed. */
  value<T>(value: T): T
  /** Returns the result of `value`, for a long text or value. Lets other work run after each few milliseconds. */
  later<T>(value: T): Promise<T>
}

/** Matches every text that may hold a secret of some shape; a cheap first test. */
const hint = new RegExp(anyOf([...shapes.flatMap((shape) => shape.hint ?? []), assignmentHint]), 'i')

/** One pattern for each hint. Shapes share the test of a hint, because a test costs less than the search of a shape. */
const hints = [...new Set(shapes.flatMap((shape) => shape.hint ?? []))].map(
  (each) => [each, new RegExp(each, 'i')] as const,
)
const eachHint = hints.map((each) => [each])
const eachShape = shapes.map((each) => [each])
// This loop is a function of its own, because a loop within a generator is slow.
function addFound(some: typeof hints, value: string, found: Set<string | undefined>): void {
  for (const [each, pattern] of some) if (pattern.test(value)) found.add(each)
}
function withoutShapes(some: readonly Shape[], value: string, found: ReadonlySet<string | undefined>): string {
  let result = value
  // The cast is needed because `replace` has no overload for a string or a function.
  for (const { find, put, hint } of some) if (found.has(hint)) result = result.replace(find, put as string)
  return result
}

/**
 * `step`: characters in which one step looks for hints. `again`: characters at the end of a step that the next step examines again; no hint matches
 * more characters.
 */
const hinted = { step: 65_536, again: 1_024 }
/** Tests if a text matches `pattern` after `read` has changed it. `read` may change only backslashes and the characters after them. */
function* holds(pattern: RegExp, text: string, read = (part: string) => part): Steps<boolean> {
  let before = ''
  for (let at = 0; ; ) {
    let end = at + hinted.step
    // The step must not end between a backslash and the letter after it.
    if (text[end - 1] === '\\' && text[end] !== '\\') end += 1
    const part = before + read(text.slice(at, end))
    if (pattern.test(part)) return true
    if (end >= text.length) return false
    before = part.slice(-hinted.again)
    at = end
    yield undefined
  }
}
/** Approximates the text of a JSON string, for the search of hints. */
const unescaped = (text: string) =>
  text
    .replace(/(?<!\\)\\+[nr]/g, '\n')
    .replace(/(?<!\\)\\+t/g, '\t')
    .replaceAll('\\', '')
const maxPasses = 4
/** Longest text that is redacted in one step, characters. */
const short = 4_096
const valuesAStep = 32
/** Shortest text whose redacted form is remembered, characters. Redacting a shorter text takes no longer than hashing it. */
const shortestRemembered = 256
const longestHarmless = 64
const mostHarmless = 1_000
/** Longest time that other work waits while a long text is redacted, ms. */
const turnMs = 10
/** Keys under which a text may be a secret only together with the key, such as `authorization`. */
const telling = /authorization|cookie|(?:^|[_-])auth$|^x-[\w-]{1,40}$|dockerconfigjson|sess(?:ion)?_?id|connect\.sid/i

/** Patterns that match an end of a text that could still become a secret. `lead` is the harmless part. */
const unfinishedShapes: readonly RegExp[] = [
  ...shapes.flatMap(({ open }) => (open === 'line' ? [] : open)),
  ...openAssignments,
]
/** Matches the end of a word. */
const wordEnd = /(?=[\s"'])/
/** Hints for which a stream holds back the line. */
const lineHint = new RegExp(anyOf(shapes.flatMap(({ open, hint }) => (open === 'line' ? (hint ?? []) : []))), 'i')

/** The result of the first test. `escaped`: a hint appears only after backslashes are removed. */
type Look = 'clean' | 'suspicious' | 'escaped'
type Leaf = string | number | boolean | bigint | symbol | null | undefined
const isSteps = <T>(made: Leaf | Steps<T>): made is Steps<T> => typeof made === 'object' && made !== null

export type SearchingRedactor = Redactor & {
  /** Cheap test: true if `text` may hold a secret or a secret's name. */
  isSuspicious(text: string): boolean
  /** Tests if `text` holds a configured secret, or ends with the beginning of one. */
  holdsOwn(text: string): boolean
  /** Returns the index from which the end of `text` could still become a secret; the text's length if it could not. */
  unfinishedAt(text: string): number
  /** Returns a pattern that finds the end of an unfinished secret in the text that follows `text`. */
  endOf(text: string): RegExp
}

/** Makes a redactor. @param secrets configured secrets, found in any spelling; secrets under 6 characters are ignored */
export function createRedactor(secrets: readonly string[]): SearchingRedactor {
  const own = new OwnSecrets(secrets)
  const redaction = new Redaction(own)
  // The methods are closures, because callers pass them on without their object.
  return {
    text: (value) => redaction.text(value),
    value: <T>(value: T) => atOnce(redaction.partIn(value)) as T,
    later: <T>(value: T) => inTurns(redaction.partIn(value), turnMs) as Promise<T>,
    isSuspicious: (value) => value.includes('://') || hint.test(value),
    holdsOwn: (value) => own.areIn(value),
    unfinishedAt: (tail) => own.unfinishedAt(tail, unfinishedShapeAt(tail)),
    endOf: (text) => shapes.find(({ open, ends }) => ends && open !== 'line' && open.test(text))?.ends ?? wordEnd,
  }
}

function unfinishedShapeAt(tail: string): number {
  const lineAt = Math.max(tail.lastIndexOf('\n'), tail.lastIndexOf('\r'), 0)
  let at = lineHint.test(tail.slice(lineAt)) ? lineAt : tail.length
  for (const shape of unfinishedShapes) {
    const match = shape.exec(tail)
    if (match !== null) at = Math.min(at, match.index + (match.groups?.lead?.length ?? 0))
  }
  return at
}

/** Redacts texts and values. Short texts are redacted at once, others in steps. */
class Redaction implements PartRedactor {
  readonly #own: OwnSecrets
  readonly #remembered = new RememberedTexts()
  /** The last short texts that match a hint and hold no secret. A few such texts recur often in a document. */
  readonly #harmless = new Set<string>()
  #seen = 0

  constructor(own: OwnSecrets) {
    this.#own = own
  }

  text(value: string): string {
    if (value.length > short) return atOnce(this.#longIn(value))
    if (value.length >= shortestRemembered) {
      const found = this.#remembered.find(value)
      if (found.known !== undefined) return found.known
      const safe = atOnce(this.#textIn(value))
      found.keep(safe)
      return safe
    }
    const looks = this.#look(value)
    if (looks === 'clean' || this.#harmless.has(value)) return value
    const safe = atOnce(this.#textIn(value, looks))
    if (safe === value && value.length <= longestHarmless) {
      if (this.#harmless.size >= mostHarmless) this.#harmless.clear()
      this.#harmless.add(value)
    }
    return safe
  }

  *partIn(value: unknown): Steps<unknown> {
    const made = this.#part(value, '')
    return isSteps(made) ? yield* made : made
  }

  /** Redacts text outside JSON documents. */
  *plain(value: string): Steps<string> {
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

  /** Redacts a value according to its key. Under some keys a text is a secret only together with the key. */
  keyed(key: string, value: string): string | Steps<string> {
    if (isSecretKey(key, value) || (isRadioKey(key) && /^[\da-f]{32}$/i.test(value))) return redacted
    if (telling.test(key)) return this.#after(`${key}: `, value)
    return value.length <= short ? this.text(value) : this.#longIn(value)
  }

  /** Redacts a value after an option in a list of arguments: `["--token", "x"]`, `["curl", "-u", "a:b"]`. */
  option(program: string, flag: string, value: string): string | Steps<string> {
    if (isSecretKey(flag, value)) return redacted
    return this.#after(`${program.slice(program.lastIndexOf('/') + 1)} ${flag} `, value)
  }

  /** Redacts a value as if it stood after `lead`. */
  #after(lead: string, value: string): string | Steps<string> {
    const shown = (safe: string) => (safe.startsWith(lead) ? safe.slice(lead.length) : redacted)
    if (value.length <= short) return shown(this.text(lead + value))
    const steps = this.#textIn(lead + value)
    return (function* () {
      return shown(yield* steps)
    })()
  }

  *#longIn(value: string): Steps<string> {
    const found = this.#remembered.find(value)
    if (found.known !== undefined) return found.known
    const safe = yield* this.#textIn(value)
    found.keep(safe)
    return safe
  }

  /** Redacts again while the text changes, because shapes may match differently once a secret is removed. */
  *#textIn(value: string, looks?: Look): Steps<string> {
    let result = yield* this.#onceIn(value, looks ?? (yield* this.#lookIn(value)))
    for (let before = value, pass = 1; pass < maxPasses && result !== before; pass += 1) {
      before = result
      result = yield* this.#onceIn(result, yield* this.#lookIn(result))
    }
    return result
  }

  *#onceIn(value: string, looks: Look): Steps<string> {
    if (looks === 'clean') return value
    const result = this.#own.redactedIn(value)
    const isHinted = looks === 'escaped' || (result.length <= short ? hint.test(result) : yield* holds(hint, result))
    return isHinted ? yield* redactJson(result, this) : result
  }

  // Two patterns instead of one: otherwise each redactor would compile all hints again, which is the slowest part of a start.
  #look(value: string): Look {
    if (value.includes('\\') && hint.test(unescaped(value))) return 'escaped'
    return hint.test(value) || this.#own.begun?.test(value) === true ? 'suspicious' : 'clean'
  }

  *#lookIn(value: string): Steps<Look> {
    if (value.length <= short) return this.#look(value)
    if (value.includes('\\') && (yield* holds(hint, value, unescaped))) return 'escaped'
    if (yield* holds(hint, value)) return 'suspicious'
    const { begun } = this.#own
    return begun !== undefined && (yield* holds(begun, value)) ? 'suspicious' : 'clean'
  }

  /** Redacts a part of a value: at once if it is short, otherwise in steps. */
  #part(value: unknown, key: string): Leaf | Steps<unknown> {
    if (typeof value === 'object' && value !== null)
      return Array.isArray(value) ? this.#listIn(value, key) : this.#recordIn(value)
    if (typeof value === 'number') return isSecretKey(key, value) ? redacted : value
    return typeof value === 'string' ? this.keyed(key, value) : (value as Leaf)
  }

  *#listIn(list: readonly unknown[], key: string): Steps<unknown> {
    if (isRadioKey(key) && list.length > 0) return redacted
    const [program] = list
    const safe: unknown[] = []
    for (let at = 0; at < list.length; at += 1) {
      if (this.#isDue()) yield undefined
      const [flag, item] = [at > 0 ? list[at - 1] : undefined, list[at]]
      const made = this.#part(item, key)
      const member = isSteps(made) ? yield* made : made
      if (isFlag(flag) && typeof item === 'string') {
        const given = this.option(typeof program === 'string' && at > 1 ? program : '', flag, member as string)
        safe.push(isSteps(given) ? yield* given : given)
      } else safe.push(member)
    }
    return safe
  }

  *#recordIn(value: object): Steps<unknown> {
    const safe: Record<string, unknown> = {}
    const pair = 'value' in value ? Object.entries(value).find(([name]) => isNaming(name)) : undefined
    const called = typeof pair?.[1] === 'string' ? valueName(pair[0], pair[1]) : 'value'
    for (const name of Object.keys(value)) {
      if (this.#isDue()) yield undefined
      const made = this.#part(value[name as keyof typeof value], name === 'value' ? called : name)
      const member = isSteps(made) ? yield* made : made
      // A plain assignment would set the prototype.
      if (name === '__proto__')
        Object.defineProperty(safe, name, { value: member, enumerable: true, configurable: true, writable: true })
      else safe[name] = member
    }
    return safe
  }

  /** Returns true after each 32 members, so that other work can run. */
  #isDue(): boolean {
    this.#seen += 1
    return this.#seen % valuesAStep === 0
  }
}
