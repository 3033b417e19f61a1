import { type Fields, fieldsIfAny, words } from './fields.ts'

/**
 * A tool call whose arguments are still streaming in, as `parts` of JSON. `id`: the server's id, empty if the server gave none. `input`: arguments
 * that the server sent whole at the start; used only if no JSON follows.
 */
export type CallInProgress = {
  type: 'call'
  id: string
  at?: number
  name: string
  parts: string[]
  input?: Fields
  extra?: Fields
}

/** The part of a call that one chunk holds. `at`: the call's index. `input`: an object, JSON, or a part of JSON. */
type Delta = { id?: unknown; at?: number | undefined; name?: unknown; input?: unknown; extra?: Fields | undefined }

/**
 * Joins the chunks of tool calls. Servers are not consistent, so a chunk is matched to its call by index, id, name and order. @param begun called
 * with each new call, in order
 */
export function createCallJoiner(begun: (call: CallInProgress) => void) {
  const ids = new Map<string, CallInProgress>()
  const places = new Map<number, CallInProgress>()
  const seen = new Map<CallInProgress, EndSeeker>()
  let newest: CallInProgress | undefined

  function callOf(id: string, at: number | undefined): CallInProgress | undefined {
    const known = id === '' ? undefined : ids.get(id)
    if (at === undefined) return known ?? newest
    return known?.at === at ? known : places.get(at)
  }

  /** True if a chunk begins a new call, although its id or index is that of `call`. */
  function isOther(call: CallInProgress, { id, name, part }: { id: string; name: string; part: string }): boolean {
    if (name === '') return false
    const differ = id !== '' && call.id !== '' && id !== call.id
    const isEmpty = call.parts.length === 0
    if (name !== call.name) return !isEmpty || differ
    return seen.get(call)?.isWhole() === true && (part !== '' || id !== call.id)
  }

  return {
    add({ id: givenId, at, name: givenName, input, extra }: Delta) {
      const id = typeof givenId === 'number' ? String(givenId) : words(givenId)
      const name = words(givenName)
      const object = fieldsIfAny(input)
      const part = object === undefined ? partIn(input) : written(object)
      let call = callOf(id, at)
      if (call === undefined || isOther(call, { id, name, part: part ?? '{}' })) {
        call = { type: 'call', id, at, name, parts: [] }
        seen.set(call, new EndSeeker())
        begun(call)
        newest = call
      } else {
        if (call.name !== name) call.name = name.startsWith(call.name) ? name : call.name + name
        if (call.id === '') call.id = id
      }
      if (call.id !== '') ids.set(call.id, call)
      if (at !== undefined) places.set(at, call)
      if (part === undefined) {
        if (object !== undefined) call.input = object
      } else if (part !== '') {
        call.parts.push(part)
        seen.get(call)?.add(part)
      }
      if (extra !== undefined) call.extra = extra
    },
  }
}

/** @throws TypeError if the value is neither a string nor absent */
function partIn(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw new TypeError('a string was expected')
  return value
}

/** Returns the object as JSON; undefined if it is nested too deeply for that. */
function written(object: Fields): string | undefined {
  try {
    return JSON.stringify(object)
  } catch {
    return undefined
  }
}

/** Reads JSON that arrives in pieces, and finds the ends of values. */
class EndSeeker {
  #depth = 0
  #isText = false
  #isEscaped = false
  #isEnded = false

  /** True if a value has ended and no further value has begun. */
  isWhole(): boolean {
    return this.#isEnded
  }

  /** @returns the places in the piece at which values end */
  add(piece: string): number[] {
    const ends: number[] = []
    const end = (at: number) => {
      if (this.#depth > 0) return
      this.#isEnded = true
      ends.push(at + 1)
    }
    for (let at = 0; at < piece.length; at += 1) {
      const char = piece[at]
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#isText && char === '\\') this.#isEscaped = true
      else if (char === '"') {
        this.#isText = !this.#isText
        this.#isEnded = false
        if (!this.#isText) end(at)
      } else if (this.#isText) continue
      else if (char === '{' || char === '[') {
        this.#depth += 1
        this.#isEnded = false
      } else if (char === '}' || char === ']') {
        this.#depth -= 1
        end(at)
      }
    }
    return ends
  }
}

/**
 * Builds the arguments of a call from its parts: the joined parts if they are JSON, otherwise the last part or value, if it restates all before it.
 * Servers send `{}` first, repeat in each part all arguments so far, or repeat the whole at the end.
 * @returns JSON; text that is not JSON if the parts contradict each other
 */
export function argumentsOf(parts: readonly string[]): string {
  const all = parts.join('')
  if (all.trim() === '' || isJson(all)) return all
  const last = parts.at(-1) ?? ''
  const before = parts.slice(0, -1)
  const real = before.slice(
    Math.max(
      0,
      before.findIndex((part) => !isPlaceholder(part)),
    ),
  )
  const isGrown = real.every((part, at) => (real[at + 1] ?? last).startsWith(part)) || last.startsWith(real.join(''))
  if (isGrown && isJson(last)) return last
  return agreed(valuesIn(all)) ?? all
}

/** Splits text into the JSON values that follow each other in it. */
function valuesIn(text: string): string[] {
  const ends = new EndSeeker().add(text)
  return [...ends.map((end, at) => text.slice(ends[at - 1] ?? 0, end)), text.slice(ends.at(-1) ?? 0)].filter(
    (value) => value.trim() !== '',
  )
}

/** Returns the last value if each value restates the one before it, possibly with more fields; otherwise undefined. */
function agreed(values: readonly string[]): string | undefined {
  let last: string | undefined
  for (const value of values) {
    if (!isJson(value)) return undefined
    if (last !== undefined && !restates(value, last)) return undefined
    last = value
  }
  return last
}

const isPlaceholder = (json: string): boolean => ['', '{}', 'null', '""'].includes(json.replaceAll(/\s/g, ''))

/** True if the later arguments contain all of the earlier ones, possibly with more. */
function restates(later: string, earlier: string): boolean {
  if (isPlaceholder(earlier)) return true
  return holds(objectIn(later), objectIn(earlier))
}

function holds(later: unknown, earlier: unknown): boolean {
  const [after, before] = [fieldsIfAny(later), fieldsIfAny(earlier)]
  if (after === undefined || before === undefined) return JSON.stringify(later) === JSON.stringify(earlier)
  return Object.entries(before).every(([key, value]) => Object.hasOwn(after, key) && holds(after[key], value))
}

function objectIn(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? JSON.parse(value) : value
  } catch {
    return json
  }
}

export function isJson(json: string): boolean {
  try {
    JSON.parse(json)
    return true
  } catch {
    return false
  }
}

/** Removes calls that only repeat an earlier one. Two calls are different if their ids differ, or, without ids, if their arguments differ. */
export function withoutRepeats<P extends { type: string }>(
  pieces: readonly (P | CallInProgress)[],
): (P | CallInProgress)[] {
  const kept: CallInProgress[] = []
  return pieces.filter((piece) => {
    if (!isCall(piece)) return true
    const first = kept.find((call) => call.name === piece.name && isSame(call, piece))
    if (first === undefined) {
      kept.push(piece)
      return true
    }
    first.parts.push(...piece.parts)
    if (piece.input !== undefined) first.input = piece.input
    if (piece.extra !== undefined) first.extra = piece.extra
    return false
  })
}

const isCall = (piece: { type: string }): piece is CallInProgress => piece.type === 'call'

/**
 * True if two calls are one. Calls with one id and one index are always one; if their arguments contradict each other, the call does not run. Calls
 * without an index arrive whole, and some servers repeat an id, so such calls are one only if their arguments agree.
 */
function isSame(first: CallInProgress, later: CallInProgress): boolean {
  if (first.id !== '' && later.id !== '' && first.id !== later.id) return false
  const isOne = first.id !== '' && first.id === later.id
  const said = argumentsOf(later.parts)
  if (isOne && first.at !== undefined && (first.at === later.at || later.at === undefined)) return true
  if (said.trim() === '') return later.input === undefined && (isOne || first.at === later.at)
  return agreed([argumentsOf(first.parts), said]) !== undefined
}
