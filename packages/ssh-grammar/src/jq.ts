/** Functions that use only their input, terminate, and do not make it longer. */
const functions = new Set(
  'length keys values select map sort sort_by group_by unique unique_by min max min_by max_by add any all flatten type tonumber from_entries has first last reverse join test startswith endswith contains not empty null true false and or ascii_downcase ascii_upcase'.split(
    ' ',
  ),
)
/** Functions whose output may be longer than their input, with the largest factor. */
const growing = new Map([
  ['to_entries', 4],
  ['tostring', 2],
  ['tojson', 2],
  ['split', 16],
  ['@tsv', 2],
  ['@csv', 2],
])
/** Largest factor by which a filter may enlarge its input. */
const mostGrowth = 200

const token =
  /\s+|\.[A-Za-z_]\w*|\.|"(?:[^"\\]|\\[tn"]|\\\(\.[A-Za-z_][\w.]*\))*"|@tsv|@csv|\/(?=\s*\d)|\d{1,6}(?:\.\d{1,6})?|[A-Za-z_]\w*|==|!=|<=|>=|\/\/|[[\]{}(),:|<>?+-]/y

/**
 * Judges jq after a pipe: one filter of paths, comparisons and plain functions. Refuses reads of files or variables (`env`, `$ENV`, `input`,
 * `import`), endless repetition (`def`, `recurse`, `..`, `range`, `while`), and filters that multiply their input: `[.,.]|[.,.]|…` doubles it at
 * each step.
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
  if (/\.\s*\./.test(filter.replace(/"[^"]*"/g, '""')))
    return 'jq: .. goes through everything there is, again and again.'
  // `{name}` and `{name: …}` are names of fields.
  const open: string[] = []
  for (const [index, part] of parts.entries()) {
    if ('{[('.includes(part)) open.push(part)
    else if ('}])'.includes(part)) open.pop()
    if (!/^[A-Za-z_]/.test(part) || functions.has(part) || growing.has(part)) continue
    const isField =
      open.at(-1) === '{' && /^[{,]$/.test(parts[index - 1] ?? '') && /^[,:}]$/.test(parts[index + 1] ?? '')
    if (!isField) return `jq: ${part.slice(0, 80)} is not a function known to read only.`
  }
  return growthOf(parts) > mostGrowth
    ? 'jq: this filter may multiply what it reads; take fewer fields at a time, or fewer steps.'
    : undefined
}

/**
 * Returns an upper bound of the output's length divided by the input's. Within a step, each comma, plus sign or growing function adds a copy; the
 * factors of the steps are multiplied.
 */
function growthOf(parts: readonly string[]): number {
  let product = 1
  let copies = 1
  for (const part of parts) {
    if (part === '|') {
      product *= copies
      copies = 1
    } else if (part === ',' || part === '+') copies += 1
    else if (part.startsWith('"')) copies += part.split('\\(').length - 1
    else product *= growing.get(part) ?? 1
  }
  return product * copies
}
