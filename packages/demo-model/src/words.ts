/** Joins items: `a, b and c`. */
export const listed = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`

/** A count with its noun: `1 guest`, `3 guests`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Lists the first `most` items and the number of others. */
export function some(items: readonly string[], most: number): string {
  const left = items.length - most
  return left <= 1 ? listed(items) : `${items.slice(0, most).join(', ')} and ${left} more`
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Quotes foreign text for a line of Markdown. */
export const quotedInline = (text: string): string => {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? `\`${text}\`` : `${fence} ${text} ${fence}`
}

/** Makes a code block, which keeps the columns of a list or of a command's output. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** Makes a Markdown table. A column whose head ends in `:` is aligned right. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replace(/[|\n]/g, ' ')
  return [
    heads.map((head) => head.replace(/:$/, '')),
    heads.map((head) => (head.endsWith(':') ? '--:' : '---')),
    ...rows,
  ]
    .map((row) => `| ${row.map(cell).join(' | ')} |`)
    .join('\n')
}

/** Escapes a foreign name for Markdown. */
export const plain = (name: string): string => name.replace(/[\\`*_{}[\]<>|#~]/g, (sign) => `\\${sign}`)
