/** A pattern of secrets. No pattern can match its own result again, so time stays linear. */
export type Shape = {
  find: RegExp
  /** The replacement, or a function of the match and its first groups if only they decide what is a secret. */
  put: string | ((match: string, lead: string, coded: string, after: string | undefined) => string)
  /** `find` matches nothing in a text that has no match of this pattern (case-insensitive). Absent: the names of secrets serve as hints. */
  hint?: string
  /** Matches an end of a text that could still become a secret; `lead` is the harmless part. `line`: the last line, if it has a match of `hint`. */
  open: RegExp | 'line'
  /** Finds the end of a value whose beginning a stream no longer holds. Absent: a space or a quote ends it. */
  ends?: RegExp
}

/** Returns the alternatives of a pattern at its top level, and those of a group at its beginning. */
function alternativesOf(source: string): string[] {
  const found: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at]
    if (char === '\\') at += 1
    else if (char === '[') at = source.slice(at).search(/[^\\\]]\]/) + at + 1
    else if (char === '(') depth += 1
    else if (char === ')') depth -= 1
    else if (char === '|' && depth === 0) {
      found.push(source.slice(from, at))
      from = at + 1
    }
  }
  return [...found, source.slice(from)].flatMap((each) => {
    const [, group, rest = ''] = /^(?:\\b)?\(\?:([^()]*)\)((?![?*+{]).*)$/s.exec(each) ?? []
    return group === undefined ? each : alternativesOf(group).map((one) => one + rest)
  })
}

/** Joins patterns into one, grouped by their first letters, so that each letter is tested once. Case-insensitive. */
export function anyOf(sources: readonly string[]): string {
  const byFirst = new Map<string, Set<string>>()
  for (const each of sources.flatMap(alternativesOf)) {
    const [, first = '', rest = each] = /^([a-z/:@#*-]|\\[.$?{\]])((?![?*+{]).*)$/is.exec(each) ?? []
    const known = byFirst.get(first.toLowerCase()) ?? new Set()
    byFirst.set(first.toLowerCase(), known.add(rest))
  }
  return [...byFirst].map(([first, rests]) => `${first}(?:${[...rests].join('|')})`).join('|')
}
