import type { Tier, ToolInfo } from 'jarvis-backend/protocol'

export type Suggestion = { key: string; label: string; detail: string; tier?: Tier; insert: string }
export type Completion = { from: number; to: number; suggestions: readonly Suggestion[]; hint?: string }
export type NounName = { label: string; detail: string; insert: string }

type Argument = { name: string; type: string; isRequired: boolean; description: string }

function argumentsOf(tool: ToolInfo): Argument[] {
  const { properties = {}, required = [] } = tool.inputSchema as {
    properties?: Record<string, { type?: string | string[]; enum?: unknown[]; description?: string }>
    required?: string[]
  }
  return Object.entries(properties)
    .map(([name, schema]) => ({
      name,
      type: schema.enum === undefined ? String(schema.type ?? 'text') : schema.enum.join(' | '),
      isRequired: required.includes(name),
      description: schema.description ?? '',
    }))
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

/** `node=text  command=text` with what may be left out in brackets. */
export const argumentHint = (tool: ToolInfo): string =>
  argumentsOf(tool)
    .map(({ name, type, isRequired }) => (isRequired ? `${name}=${type}` : `[${name}=${type}]`))
    .join('  ')

const shown = 9

/** What the text before the cursor asks to be completed: `/tool`, its arguments, or `@` and a name. */
export function complete(
  text: string,
  cursor: number,
  tools: readonly ToolInfo[],
  nouns: readonly NounName[],
): Completion | undefined {
  const before = text.slice(0, cursor)
  const command = /^\/(\w*)$/.exec(before)
  if (command !== null) {
    const typed = command[1] ?? ''
    const suggestions = tools
      .filter((tool) => tool.name.includes(typed.toLowerCase()))
      .sort((a, b) => Number(b.name.startsWith(typed)) - Number(a.name.startsWith(typed)))
      .map((tool) => {
        const [first] = argumentsOf(tool)
        const insert = first?.isRequired === true ? `/${tool.name} ${first.name}=` : `/${tool.name} `
        const detail = tool.description.split(/(?<=\.)\s/)[0] ?? ''
        return { key: tool.name, label: `/${tool.name}`, detail, tier: tool.tier, insert }
      })
    return suggestions.length === 0 ? undefined : { from: 0, to: cursor, suggestions }
  }
  const called = /^\/(\w+)\s/.exec(text)
  const tool = called === null ? undefined : tools.find((known) => known.name === called[1])
  if (tool !== undefined) {
    const word = /(\S*)$/.exec(before)?.[1] ?? ''
    const given = new Set([...text.matchAll(/(\w+)=/g)].map((match) => match[1]))
    const suggestions = argumentsOf(tool)
      .filter(({ name }) => !given.has(name) && name.startsWith(word) && !word.includes('='))
      .map(({ name, type, isRequired, description }) => ({
        key: name,
        label: `${name}=`,
        detail: `${type}${isRequired ? '' : ', may be left out'}${description === '' ? '' : `: ${description}`}`,
        insert: `${name}=`,
      }))
    const hint = argumentHint(tool)
    const found = {
      from: cursor - word.length,
      to: cursor,
      suggestions: word === '' && !before.endsWith(' ') ? [] : suggestions,
    }
    return hint === '' ? found : { ...found, hint }
  }
  const at = /(?:^|\s)@([\w.-]*)$/.exec(before)
  if (at !== null) {
    const typed = (at[1] ?? '').toLowerCase()
    const suggestions = nouns
      .filter((noun) => noun.label.toLowerCase().includes(typed))
      .slice(0, shown)
      .map((noun) => ({ key: noun.label, label: noun.label, detail: noun.detail, insert: `${noun.insert} ` }))
    return suggestions.length === 0 ? undefined : { from: cursor - typed.length - 1, to: cursor, suggestions }
  }
  return undefined
}
