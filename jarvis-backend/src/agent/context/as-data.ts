/** A block of data within a message. Nothing in it ends the block or begins another one. */
export const asData = (name: string, text: string): string => `<${name}>\n${withoutMarks(text)}\n</${name}>`

/** Text in which nothing reads as the mark of a block. */
export const withoutMarks = (text: string) =>
  text.replace(/<(?=\s*(?:\/\s*)?(?:memory|cluster_state|rehearsal|earlier|skill|attachment|speaker)\b)/gi, '‹')
