import { createRedactor, type SearchingRedactor } from './redact.ts'

/** A redactor to which secrets can be added. It never forgets one. */
export type GrowingRedactor = SearchingRedactor & { add(secrets: readonly string[]): void }

export function createGrowingRedactor(secrets: readonly string[]): GrowingRedactor {
  let known = new Set(secrets)
  let current = createRedactor([...known])
  return {
    text: (value) => current.text(value),
    value: (value) => current.value(value),
    later: (value) => current.later(value),
    isSuspicious: (text) => current.isSuspicious(text),
    holdsOwn: (text) => current.holdsOwn(text),
    unfinishedAt: (tail) => current.unfinishedAt(tail),
    endOf: (text) => current.endOf(text),
    add(more) {
      const all = new Set([...known, ...more])
      if (all.size === known.size) return
      known = all
      current = createRedactor([...known])
    },
  }
}
