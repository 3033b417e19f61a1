/** Directives and statements that change how a diagram is drawn, what it links to or what it loads. */
const extras = [
  // An unclosed directive extends to the end: a search from each start takes minutes on hostile text.
  /%%\{[\s\S]*?(?:\}%%|$)/g,
  /^\s*---[^\S\n]*\n[\s\S]*?\n---[^\S\n]*\n/g,
  /(?<=^|;|\n)[^\S\n]*(?:(?:style|classDef|linkStyle|click)\s|links?\s+[^\s:]+\s*:)[^\n;]*/g,
]
/** Attributes for the look of a node; pictures are among them. */
const looks = /@\{[^}]*\}?/g
/** The start of a tag, except line breaks and stereotypes such as `<<interface>>`. */
const tags = /<<[\w ]+>>|<br\s*\/?>|<(?=[a-z/!?])/gi
/** The start of a tag, written as an entity. */
const entities = /(?:&#?|#)(?:x0*(?:3c|26)|0*(?:60|38)|lt|amp)(?:;|(?![\da-z]))/gi

/** A diagram's text without anything that could become markup, a link, a style or a request. */
export function diagramText(text: string): string {
  let plain = text
  for (let before = ''; before !== plain; ) {
    before = plain
    for (const extra of extras) plain = plain.replace(extra, '')
    plain = plain.replace(looks, (found) => (/\b(?:img|icon)\b/.test(found) ? '' : found)).replace(entities, '‹')
  }
  return plain.replace(tags, (found) => (found === '<' ? '‹' : found))
}
