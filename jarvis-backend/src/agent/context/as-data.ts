/** Wraps a text as a block of data in a message. No text inside can end the block or begin another one. */
export const asData = (name: string, text: string): string => `<${name}>\n${withoutMarks(text)}\n</${name}>`

/** Returns a text without the opening and closing marks of blocks. */
export const withoutMarks = (text: string) =>
  text.replace(/<(?=\s*(?:\/\s*)?(?:memory|cluster_state|rehearsal|earlier|skill|attachment|speaker)\b)/gi, '‹')
