/** `a, b and c` */
export const listed = (items: readonly string[]): string =>
  items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`

/** `1 guest`, `3 guests` */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** The first `most` by name, the rest by number. */
export function some(items: readonly string[], most: number): string {
  const left = items.length - most
  return left <= 1 ? listed(items) : `${items.slice(0, most).join(', ')} and ${left} more`
}

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Others' words, safe in a line of Markdown. */
export const quotedInline = (text: string): string => {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? `\`${text}\`` : `${fence} ${text} ${fence}`
}

/** A list or a command's output keeps its columns. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** A Markdown table; a column's head that ends in `:` is flush right. */
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

/** A node, guest or storage's name others chose, as plain text in Markdown. */
export const plain = (name: string): string => name.replace(/[\\`*_{}[\]<>|#~]/g, (sign) => `\\${sign}`)
