/** One form of secret. None can run over its own text twice, so time is linear. */
export type Shape = {
  find: RegExp
  /** What takes its place; of a form that only decoding tells, from the match and its first two groups. */
  put: string | ((match: string, lead: string, coded: string) => string)
  /**
   * Without a match of this (case does not count) `find` finds nothing: one cheap look for all shapes at once. Absent
   * where the names of secrets say it already.
   */
  hint?: string
  /** At the end of a text: what may still become one when more follows. `lead` is the part that gives nothing away. */
  open: RegExp
}

/** The alternatives of a pattern at its top level and in a group that it begins with. */
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

/** One pattern for many, which looks at each first letter once. Case does not count. */
export function anyOf(sources: readonly string[]): string {
  const byFirst = new Map<string, Set<string>>()
  for (const each of sources.flatMap(alternativesOf)) {
    const [, first = '', rest = each] = /^([a-z/:@#*-]|\\[.$?{\]])((?![?*+{]).*)$/is.exec(each) ?? []
    const known = byFirst.get(first.toLowerCase()) ?? new Set()
    byFirst.set(first.toLowerCase(), known.add(rest))
  }
  return [...byFirst].map(([first, rests]) => `${first}(?:${[...rests].join('|')})`).join('|')
}
