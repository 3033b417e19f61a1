/** Commands that the dashboard handles itself. */
export type Act = 'new' | 'model' | 'stop' | 'export' | 'help'

/**
 * A command. `tool`: the tool that it calls; the words after the name are its arguments in order, and the last argument takes the rest of the line.
 * `ask`: makes the message that is sent to the model instead of calling the tool.
 */
export type Command = { name: string; detail: string } & (
  | { act: Act }
  | {
      tool: string
      takes: readonly { name: string; isRequired: boolean }[]
      ask?: (words: string) => string
    }
)

const needs = (name: string) => ({ name, isRequired: true })
const may = (name: string) => ({ name, isRequired: false })

/** Short names for common requests. Every tool can also be called by its own name. */
export const commands: readonly Command[] = [
  { name: 'status', detail: 'The cluster at a glance', tool: 'get_cluster_status', takes: [] },
  { name: 'node', detail: 'One node', tool: 'get_node_status', takes: [needs('node')] },
  {
    name: 'guest',
    detail: 'One guest, told by the model',
    tool: 'get_cluster_resources',
    takes: [needs('vmid')],
    ask: (words) => `How is guest ${words}?`,
  },
  { name: 'backups', detail: 'Backups and their age', tool: 'get_backups', takes: [may('vmid')] },
  { name: 'tasks', detail: 'Tasks of late', tool: 'get_recent_tasks', takes: [may('node')] },
  { name: 'ssh', detail: 'A command on a node', tool: 'execute_ssh', takes: [needs('node'), needs('command')] },
  { name: 'wake', detail: 'Wake a node that is off', tool: 'wake_node', takes: [needs('node')] },
  { name: 'new', detail: 'A new chat', act: 'new' },
  { name: 'model', detail: 'Choose what answers', act: 'model' },
  {
    name: 'effort',
    detail: 'How much the model thinks here: off, low, medium, high, default',
    tool: 'effort',
    takes: [may('effort')],
    ask: (words) => `/effort ${words}`.trim(),
  },
  {
    name: 'context',
    detail: 'What fills the model’s window',
    tool: 'context',
    takes: [],
    ask: () => '/context',
  },
  { name: 'fold', detail: 'Fold older turns for the model', tool: 'fold', takes: [], ask: () => '/fold' },
  { name: 'stop', detail: 'Stop the answer', act: 'stop' },
  { name: 'export', detail: 'This session as Markdown', act: 'export' },
  { name: 'help', detail: 'Keys and commands', act: 'help' },
]

export const commandOf = (text: string): Command | undefined => {
  const name = /^\/(\w+)(?=\s|$)/.exec(text)?.[1]
  return commands.find((command) => command.name === name)
}

export type Meaning = { send: string } | { act: Act } | { problem: string }

const quoted = (word: string) => (/^[\w./:-]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`)

/** Reads a message as a command or as text. Unknown commands go to the server unchanged. */
export function meaningOf(text: string): Meaning {
  const command = text.includes('\n') ? undefined : commandOf(text)
  if (command === undefined) return { send: text }
  if ('act' in command) return { act: command.act }
  const rest = text.slice(command.name.length + 1).trim()
  // Arguments of the form `key=value` are passed to the tool unchanged.
  if (/^\w+=/.test(rest)) return { send: `/${command.tool} ${rest}` }
  const { takes } = command
  let left = rest
  const values = takes.map(({ name }, at) => {
    // Keep the last argument as typed, because spaces inside quotes matter.
    const value = at === takes.length - 1 ? left : (/^\S*/.exec(left)?.[0] ?? '')
    left = left.slice(value.length).trimStart()
    return { name, value }
  })
  const missing = takes.find(({ isRequired }, at) => isRequired && (values[at]?.value ?? '') === '')
  if (missing !== undefined) return { problem: `/${command.name} needs a ${missing.name}: ${hintOf(command)}.` }
  if (takes.length === 0 && rest !== '') return { problem: `/${command.name} takes nothing more.` }
  if (command.ask !== undefined) return { send: command.ask(rest) }
  const given = values.filter(({ value }) => value !== '').map(({ name, value }) => ` ${name}=${quoted(value)}`)
  return { send: `/${command.tool}${given.join('')}` }
}

/** Shows a command with its arguments, optional ones in brackets: `/ssh node command`. */
export const hintOf = (command: Command): string =>
  [
    `/${command.name}`,
    ...('takes' in command ? command.takes.map(({ name, isRequired }) => (isRequired ? name : `[${name}]`)) : []),
  ].join(' ')
