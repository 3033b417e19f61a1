import type { Tier, ToolInfo } from 'protocol'
import { commandOf, commands, hintOf } from './commands.ts'

export type Suggestion = { key: string; label: string; detail: string; tier?: Tier; insert: string }
export type Completion = { from: number; to: number; suggestions: readonly Suggestion[]; hint?: string }
/** An enabled skill of the agent that answers. */
export type SkillName = { name: string; description: string }
/** A node or a guest. `value`: the text for an argument; `insert`: the text for a sentence. */
export type NounName = { kind: 'node' | 'vm' | 'ct'; label: string; detail: string; insert: string; value: string }

type Argument = {
  name: string
  type: string
  isRequired: boolean
  description: string
  values: readonly string[]
}

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
      values: schema.enum?.map(String) ?? (schema.type === 'boolean' ? ['true', 'false'] : []),
    }))
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

/** Shows a tool's arguments, optional ones in brackets: `node=text command=text`. */
export const argumentHint = (tool: ToolInfo): string =>
  argumentsOf(tool)
    .map(({ name, type, isRequired }) => (isRequired ? `${name}=${type}` : `[${name}=${type}]`))
    .join('  ')

const shown = 9
const firstSentence = (text: string) => text.split(/(?<=\.)\s/)[0] ?? ''

/** Finds completions at the cursor: for a command, a tool, a tool's arguments, or a name after `@`. */
export function complete(
  text: string,
  cursor: number,
  tools: readonly ToolInfo[],
  nouns: readonly NounName[],
  skills: readonly SkillName[] = [],
): Completion | undefined {
  const before = text.slice(0, cursor)
  // Replace the whole word at the cursor.
  const to = cursor + (/^[\w.-]*/.exec(text.slice(cursor))?.[0].length ?? 0)
  const typed = /^\/([\w-]*)$/.exec(before)?.[1]
  if (typed !== undefined) return some(0, to, names(typed, tools, skills))
  const command = commandOf(text)
  if (command !== undefined && 'takes' in command) {
    const words = before.trimStart().split(/\s+/)
    const word = words.at(-1) ?? ''
    const name = command.takes[words.length - 2]?.name
    if (word.includes('=') || name === undefined) return { ...at(word, cursor, to, []), hint: hintOf(command) }
    return { ...at(word, cursor, to, valuesOf(name, command.tool, [], word, nouns)), hint: hintOf(command) }
  }
  const called = /^\/([\w-]+)\s/.exec(text)?.[1]
  const tool = tools.find((known) => known.name === called)
  if (tool !== undefined) return argumentsAt(before, to, text, tool, nouns)
  const said = /(?:^|\s)@([\w.-]*)$/.exec(before)?.[1]
  if (said === undefined) return undefined
  const found = nouns
    .filter((noun) => noun.label.toLowerCase().includes(said.toLowerCase()))
    .slice(0, shown)
    .map((noun) => ({ key: noun.label, label: noun.label, detail: noun.detail, insert: `${noun.insert} ` }))
  return some(cursor - said.length - 1, to, found)
}

const at = (word: string, cursor: number, to: number, suggestions: readonly Suggestion[]) => ({
  from: cursor - word.length,
  to,
  suggestions,
})
const some = (from: number, to: number, suggestions: readonly Suggestion[]) =>
  suggestions.length === 0 ? undefined : { from, to, suggestions }

/** Commands, skills and tools whose name contains the typed text; names that begin with it come first. */
function names(typed: string, tools: readonly ToolInfo[], skills: readonly SkillName[]): Suggestion[] {
  const word = typed.toLowerCase()
  const ours = commands.map((command): Suggestion => {
    const tier = 'tool' in command ? tools.find(({ name }) => name === command.tool)?.tier : undefined
    const label = hintOf(command)
    const insert = 'takes' in command && command.takes.length > 0 ? `/${command.name} ` : `/${command.name}`
    return { key: command.name, label, detail: command.detail, insert, tier }
  })
  const known = skills
    // Leave out a skill that has the name of a command: the line then means the command.
    .filter(({ name }) => commands.every((command) => command.name !== name))
    .map(({ name, description }): Suggestion => {
      const detail = `Skill: ${firstSentence(description)}`
      return { key: name, label: `/${name}`, detail, insert: `/${name} ` }
    })
  const theirs = tools.map((tool): Suggestion => {
    const [first] = argumentsOf(tool)
    const insert = first?.isRequired === true ? `/${tool.name} ${first.name}=` : `/${tool.name} `
    return {
      key: tool.name,
      label: `/${tool.name}`,
      detail: firstSentence(tool.description),
      tier: tool.tier,
      insert,
    }
  })
  return [...ours, ...known, ...theirs]
    .filter(({ key }) => key.toLowerCase().includes(word))
    .sort((a, b) => Number(b.key.startsWith(word)) - Number(a.key.startsWith(word)))
}

/** Completes the missing arguments, or the value of the argument that is being typed. */
function argumentsAt(before: string, to: number, text: string, tool: ToolInfo, nouns: readonly NounName[]): Completion {
  const cursor = before.length
  const hint = argumentHint(tool)
  const word = /(?<!\S)(\S*)$/.exec(before)?.[1] ?? ''
  const all = argumentsOf(tool)
  const withHint = (completion: Completion): Completion => (hint === '' ? completion : { ...completion, hint })
  const [, key, value] = /^([\w-]+)=(.*)$/.exec(word) ?? []
  if (key !== undefined && value !== undefined) {
    const known = all.find(({ name }) => name === key)
    return withHint(at(value, cursor, to, valuesOf(key, tool.name, known?.values ?? [], value, nouns)))
  }
  const given = new Set([...text.matchAll(/(?<!\w)(\w+)=/g)].map((match) => match[1]))
  const suggestions = all
    .filter(({ name }) => !given.has(name) && name.startsWith(word))
    .map(({ name, type, isRequired, description }) => ({
      key: name,
      label: `${name}=`,
      detail: `${type}${isRequired ? '' : ', may be left out'}${description === '' ? '' : `: ${description}`}`,
      insert: `${name}=`,
    }))
  return withHint(at(word, cursor, to, word === '' && !before.endsWith(' ') ? [] : suggestions))
}

/** Completions for the value of an argument: the values in its schema, otherwise nodes or guests of the live cluster. */
function valuesOf(
  argument: string,
  toolName: string,
  listed: readonly string[],
  typed: string,
  nouns: readonly NounName[],
): Suggestion[] {
  if (listed.length > 0) {
    return listed
      .filter((value) => value.startsWith(typed) && value !== typed)
      .map((value) => ({ key: value, label: value, detail: argument, insert: `${value} ` }))
  }
  const only = /_vms?$/.test(toolName) ? 'vm' : /_containers?$/.test(toolName) ? 'ct' : undefined
  const fits = ({ kind }: NounName) =>
    argument === 'node' ? kind === 'node' : argument === 'vmid' && kind !== 'node' && (only ?? kind) === kind
  return nouns
    .filter((noun) => fits(noun) && noun.value !== typed && noun.label.toLowerCase().includes(typed.toLowerCase()))
    .slice(0, shown)
    .map((noun) => ({ key: noun.label, label: noun.label, detail: noun.detail, insert: `${noun.value} ` }))
}
