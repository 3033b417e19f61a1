/** Functions that look at their input alone, and end. */
const functions = new Set(
  'length keys values select map sort sort_by group_by unique unique_by min max min_by max_by add any all flatten type tostring tonumber to_entries from_entries has first last reverse join split test startswith endswith contains not empty null true false and or ascii_downcase ascii_upcase tojson'.split(
    ' ',
  ),
)
const token = /\s+|\.[A-Za-z_]\w*|\.|"[^"\\]*"|\d+(?:\.\d+)?|[A-Za-z_]\w*|==|!=|<=|>=|\/\/|[[\]{}(),:|<>?+-]/y

/**
 * jq after a pipe, with one filter of paths, comparisons and plain functions: nothing that reads files or variables
 * (`env`, `$ENV`, `input`, `import`), and nothing that could repeat for ever (`def`, `recurse`, `range`, `while`).
 */
export function judgeJq(words: readonly string[]): string | undefined {
  const options = words.filter((word) => word.startsWith('-'))
  const odd = options.find((word) => !/^(?:-[rcMSse]{1,6}|--(?:raw-output|compact-output|sort-keys|slurp))$/.test(word))
  if (odd !== undefined) return `jq: ${odd.slice(0, 80)} is not an option known to read only.`
  const [filter, extra] = words.filter((word) => !word.startsWith('-'))
  if (filter === undefined) return 'jq needs a filter.'
  if (extra !== undefined) return `After a pipe, jq reads no file such as ${extra.slice(0, 80)}.`
  const parts: string[] = []
  token.lastIndex = 0
  while (token.lastIndex < filter.length) {
    const at = token.lastIndex
    const [part] = token.exec(filter) ?? []
    if (part === undefined) return `jq: ${filter.slice(at, at + 20)} is not known to read only.`
    if (part.trim() !== '') parts.push(part)
  }
  // `{name}` and `{name: …}` name fields.
  const open: string[] = []
  for (const [index, part] of parts.entries()) {
    if ('{[('.includes(part)) open.push(part)
    else if ('}])'.includes(part)) open.pop()
    if (!/^[A-Za-z_]/.test(part) || functions.has(part)) continue
    const isField =
      open.at(-1) === '{' && /^[{,]$/.test(parts[index - 1] ?? '') && /^[,:}]$/.test(parts[index + 1] ?? '')
    if (!isField) return `jq: ${part.slice(0, 80)} is not a function known to read only.`
  }
  return undefined
}
