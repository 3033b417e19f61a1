import {
  type Condition,
  filled,
  filledCondition,
  holds,
  NotKnown,
  placeOfRef,
  type Ref,
  readTemplate,
  resolved,
  type Scope,
  spokenCondition,
  wordsOfCondition,
  wordsOfRef,
} from './expressions.ts'
import type { Args, Check } from './procedure.ts'

export { NotKnown, type Scope }

/**
 * Fills in all values of arguments. An argument whose value is absent is left out.
 * @param mustBeThere true: an absent value throws NotKnown instead
 * @throws NotKnown
 */
export function fillArgs(args: Args, scope: Scope, mustBeThere = false): Args {
  return fillValue(args, scope, mustBeThere) as Args
}

function fillValue(value: unknown, scope: Scope, mustBeThere: boolean): unknown {
  if (typeof value === 'string') {
    const found = filled(readTemplate(value), scope)
    if (found === undefined && mustBeThere) throw new NotKnown(`${value} is not there.`)
    return found
  }
  if (Array.isArray(value)) return value.map((item) => fillValue(item, scope, mustBeThere))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      const found = fillValue(member, scope, mustBeThere)
      return found === undefined ? [] : [[key, found]]
    }),
  )
}

/** Fills in all values of a check except those of its own result. @throws NotKnown */
export const fillCheck = ({ toolName, args, until, withinMs }: Check, scope: Scope, mustBeThere = false) => ({
  toolName,
  toolInput: fillArgs(args, scope, mustBeThere),
  until: filledCondition(until, scope),
  withinMs,
})

/** Returns the list to which a reference leads. @throws NotKnown if the value is not known or is not a list */
export function fillList(ref: Ref, scope: Scope): unknown[] {
  const list = resolved(ref, scope)
  if (!Array.isArray(list)) throw new NotKnown(`${wordsOfRef(ref)} is no list.`)
  return list
}

/** Evaluates a step’s condition. `words`: what is so, such as `hostpci0 of config is not there`. @throws NotKnown */
export function isWanted(condition: Condition, scope: Scope): { holds: boolean; words: string } {
  const isTrue = holds(condition, scope)
  const words = wordsOfCondition(spokenCondition(condition, scope))
  return { holds: isTrue, words: isTrue ? words : `it is not so that ${words}` }
}

/** The values that a check has read, in words: `status is stopped`, or `status is not known`. */
export function seenWords(condition: Condition, scope: Scope): string {
  return condition
    .map(({ left }) => {
      const name = placeOfRef(left)
      try {
        const value = resolved(left, scope)
        return `${name} is ${value === undefined ? 'not there' : typeof value === 'object' ? 'a list' : String(value).slice(0, 100)}`
      } catch {
        return `${name} is not known`
      }
    })
    .join(', ')
}
