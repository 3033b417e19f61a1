import { htmlTokens } from './html-tokens.ts'

/** Elements without an end tag. */
const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))
/** Elements that end when the next element of their kind begins. */
const siblings = [['li'], ['dt', 'dd'], ['tr'], ['td', 'th'], ['option'], ['thead', 'tbody', 'tfoot']]
const groups = new Map(siblings.flatMap((names, group) => names.map((name) => [name, group] as const)))
/** Elements that begin a new line. A paragraph ends when one of them begins. */
const blocks = new Set(
  'p div br li ul ol dl dt dd tr table h1 h2 h3 h4 h5 h6 section article main nav header footer aside blockquote pre form hr'.split(
    ' ',
  ),
)

/**
 * Returns the depth to which the elements of a page are nested. It is counted before a parser reads the page, because some parsers need minutes for
 * thousands of levels. The time is linear in the page's length.
 */
export function nestingOf(html: string): number {
  const open: string[] = []
  const counts = new Map<string, number>()
  const count = (name: string) => counts.get(name) ?? 0
  const pop = () => {
    const name = open.pop()
    if (name !== undefined) counts.set(name, count(name) - 1)
    return name
  }
  let deepest = 0
  for (const token of htmlTokens(html)) {
    if ('text' in token || empty.has(token.name)) continue
    const { name, isEnd, isClosed } = token
    if (isEnd) {
      if (count(name) > 0) while (pop() !== name);
      continue
    }
    if (isClosed) continue
    if (open.at(-1) === 'p' && blocks.has(name)) pop()
    const group = groups.get(name)
    if (group !== undefined && groups.get(open.at(-1) ?? '') === group) pop()
    open.push(name)
    counts.set(name, count(name) + 1)
    deepest = Math.max(deepest, open.length)
  }
  return deepest
}

/** The text of a page without its markup, for pages that are too deep for a parser. The time is linear in the page's length. */
export function strippedOf(html: string): string {
  const parts: string[] = []
  for (const token of htmlTokens(html)) {
    if ('text' in token) parts.push(token.text.replace(/\s+/g, ' '))
    else parts.push(blocks.has(token.name) ? '\n' : ' ')
  }
  return parts
    .join('')
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/ +/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim()
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
}
