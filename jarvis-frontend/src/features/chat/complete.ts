import type { Tier, ToolInfo } from 'protocol'
import { commandOf, commands, hintOf } from './commands.ts'

export type Suggestion = { key: string; label: string; detail: string; tier?: Tier; insert: string }
export type Completion = { from: number; to: number; suggestions: readonly Suggestion[]; hint?: string }
/** An enabled skill of the agent that answers. */
export type SkillName = { name: string; description: string }
/** A node or a guest. `value`: the text for an argument; `insert`: the text for a sentence. */
export type NounName = { kind: 'node' | 'vm' | 'ct'; label: string; detail: string; insert: string; value: string }

/** The names that can be suggested. `skills`: those of the agent that answers. */
type Known = { tools: readonly ToolInfo[]; nouns: readonly NounName[]; skills?: readonly SkillName[] | undefined }
/** The typed text. `before`: its part before the cursor; `to`: the end of the word at the cursor, which is replaced as a whole. */
type Typed = { text: string; before: string; to: number }

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
export function complete(text: string, cursor: number, { tools, nouns, skills = [] }: Known): Completion | undefined {
  const before = text.slice(0, cursor)
  const to = cursor + (/^[\w.-]*/.exec(text.slice(cursor))?.[0].length ?? 0)
  const typed = { text, before, to }
  const slashed = /^\/([\w-]*)$/.exec(before)?.[1]
  if (slashed !== undefined) return some(0, to, names(slashed, tools, skills))
  const command = commandOf(text)
  if (command !== undefined && 'takes' in command) {
    const words = before.trimStart().split(/\s+/)
    const word = words.at(-1) ?? ''
    const name = command.takes[words.length - 2]?.name
    const suggestions =
      word.includes('=') || name === undefined
        ? []
        : valuesOf({ name, toolName: command.tool, values: [] }, word, nouns)
    return { ...at(word, typed, suggestions), hint: hintOf(command) }
  }
  const called = /^\/([\w-]+)\s/.exec(text)?.[1]
  const tool = tools.find((known) => known.name === called)
  if (tool !== undefined) return argumentsAt(typed, tool, nouns)
  const said = /(?:^|\s)@([\w.-]*)$/.exec(before)?.[1]
  if (said === undefined) return undefined
  const found = nouns
    .filter((noun) => noun.label.toLowerCase().includes(said.toLowerCase()))
    .slice(0, shown)
    .map((noun) => ({ key: noun.label, label: noun.label, detail: noun.detail, insert: `${noun.insert} ` }))
  return some(cursor - said.length - 1, to, found)
}

/** @param word the end of the text before the cursor, which a suggestion replaces */
const at = (word: string, { before, to }: Typed, suggestions: readonly Suggestion[]) => ({
  from: before.length - word.length,
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
function argumentsAt(typed: Typed, tool: ToolInfo, nouns: readonly NounName[]): Completion {
  const { text, before } = typed
  const hint = argumentHint(tool)
  const word = /(?<!\S)(\S*)$/.exec(before)?.[1] ?? ''
  const all = argumentsOf(tool)
  const withHint = (completion: Completion): Completion => (hint === '' ? completion : { ...completion, hint })
  const [, key, value] = /^([\w-]+)=(.*)$/.exec(word) ?? []
  if (key !== undefined && value !== undefined) {
    const { values = [] } = all.find(({ name }) => name === key) ?? {}
    return withHint(at(value, typed, valuesOf({ name: key, toolName: tool.name, values }, value, nouns)))
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
  return withHint(at(word, typed, word === '' && !before.endsWith(' ') ? [] : suggestions))
}

/** Completions for the value of an argument: the values in its schema, otherwise nodes or guests of the live cluster. */
function valuesOf(
  { name, toolName, values }: Pick<Argument, 'name' | 'values'> & { toolName: string },
  typed: string,
  nouns: readonly NounName[],
): Suggestion[] {
  if (values.length > 0) {
    return values
      .filter((value) => value.startsWith(typed) && value !== typed)
      .map((value) => ({ key: value, label: value, detail: name, insert: `${value} ` }))
  }
  const only = /_vms?$/.test(toolName) ? 'vm' : /_containers?$/.test(toolName) ? 'ct' : undefined
  const fits = ({ kind }: NounName) =>
    name === 'node' ? kind === 'node' : name === 'vmid' && kind !== 'node' && (only ?? kind) === kind
  return nouns
    .filter((noun) => fits(noun) && noun.value !== typed && noun.label.toLowerCase().includes(typed.toLowerCase()))
    .slice(0, shown)
    .map((noun) => ({ key: noun.label, label: noun.label, detail: noun.detail, insert: `${noun.value} ` }))
}
