/** What a diagram may carry along to change how it is drawn, what it links to and what it loads; by where it stands. */
const extras = [
  // An unclosed directive extends to the end: a search from each start takes minutes on hostile text.
  /%%\{[\s\S]*?(?:\}%%|$)/g,
  /^\s*---[^\S\n]*\n[\s\S]*?\n---[^\S\n]*\n/g,
  /(?<=^|;|\n)[^\S\n]*(?:(?:style|classDef|linkStyle|click)\s|links?\s+[^\s:]+\s*:)[^\n;]*/g,
]
/** How a node looks: pictures are among it. */
const looks = /@\{[^}]*\}?/g
/** What begins a tag, but for line breaks and stereotypes such as `<<interface>>`. */
const tags = /<<[\w ]+>>|<br\s*\/?>|<(?=[a-z/!?])/gi
/** The same, written as an entity. */
const entities = /(?:&#?|#)(?:x0*(?:3c|26)|0*(?:60|38)|lt|amp)(?:;|(?![\da-z]))/gi

/** A diagram's text without all that could become markup, a link, a style or a request. */
export function diagramText(text: string): string {
  let plain = text
  for (let before = ''; before !== plain; ) {
    before = plain
    for (const extra of extras) plain = plain.replace(extra, '')
    plain = plain.replace(looks, (found) => (/\b(?:img|icon)\b/.test(found) ? '' : found)).replace(entities, '‹')
  }
  return plain.replace(tags, (found) => (found === '<' ? '‹' : found))
}
