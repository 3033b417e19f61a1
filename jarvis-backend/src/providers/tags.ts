/** The marks that servers put around reasoning. */
export type Tag = 'open' | 'close' | 'channel' | 'end'

const xmlNames = ['think', 'thinking', 'thought', 'thoughts', 'reasoning', 'seed:think', 'mm:think']
/**
 * Tags without blanks, in lower case. `channel` begins a channel of gpt-oss's harmony format: its header ends with `<|message|>` and says what the
 * text after it is.
 */
const tags = new Map<string, Tag>([
  ...xmlNames.flatMap((name): [string, Tag][] => [
    [`<${name}>`, 'open'],
    [`</${name}>`, 'close'],
  ]),
  ['[think]', 'open'],
  ['[/think]', 'close'],
  ['◁think▷', 'open'],
  ['◁/think▷', 'close'],
  ['<|begin_of_thought|>', 'open'],
  ['<|end_of_thought|>', 'close'],
  ['<|start_thinking|>', 'open'],
  ['<|end_thinking|>', 'close'],
  ['<|channel>thought', 'open'],
  ['<channel|>', 'close'],
  ['<|start|>', 'channel'],
  ['<|channel|>', 'channel'],
  ['<|end|>', 'end'],
  ['<|return|>', 'end'],
  ['<|call|>', 'end'],
])
const prefixes = new Set([...tags.keys()].flatMap((tag) => [...tag].map((_, at) => tag.slice(0, at + 1))))
export const opener = /[<[◁]/g
const longestTag = 64
/** Ends the header of a channel. */
export const message = '<|message|>'

/** Returns the tag at a position; `more` if the text is too short to tell. */
export function tagAt(text: string, at: number): { tag: Tag; end: number } | 'more' | undefined {
  let read = ''
  for (let i = at; i < at + longestTag; i += 1) {
    const char = text[i]
    if (char === undefined) return 'more'
    if (/\s/.test(char)) continue
    read += char.toLowerCase()
    const tag = tags.get(read)
    if (tag !== undefined) return { tag, end: i + 1 }
    if (!prefixes.has(read)) return undefined
  }
  return undefined
}
