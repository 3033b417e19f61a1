/** Directives and statements that change the drawing style of a diagram, or that link or load something. */
const extras = [
  // An unclosed directive extends to the end of the text. Searching for an end from every start would take minutes on hostile text.
  /%%\{[\s\S]*?(?:\}%%|$)/g,
  /^\s*---[^\S\n]*\n[\s\S]*?\n---[^\S\n]*\n/g,
  /(?<=^|;|\n)[^\S\n]*(?:(?:style|classDef|linkStyle|click)\s|links?\s+[^\s:]+\s*:)[^\n;]*/g,
]
/** Attributes for the look of a node, including pictures. */
const looks = /@\{[^}]*\}?/g
/** The start of a tag. Line breaks and stereotypes such as `<<interface>>` match too, so that the caller can keep them. */
const tags = /<<[\w ]+>>|<br\s*\/?>|<(?=[a-z/!?])/gi
/** The start of a tag, written as an entity. */
const entities = /(?:&#?|#)(?:x0*(?:3c|26)|0*(?:60|38)|lt|amp)(?:;|(?![\da-z]))/gi

/** Removes from a diagram's text everything that could become markup, a link, a style or a request. */
export function diagramText(text: string): string {
  let plain = text
  for (let before = ''; before !== plain; ) {
    before = plain
    for (const extra of extras) plain = plain.replace(extra, '')
    plain = plain.replace(looks, (found) => (/\b(?:img|icon)\b/.test(found) ? '' : found)).replace(entities, '‹')
  }
  return plain.replace(tags, (found) => (found === '<' ? '‹' : found))
}
