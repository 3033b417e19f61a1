import { z } from 'zod'
import { type Effect, sandboxTarget } from '../../gate/index.ts'
import { endWords } from '../../workbench/sandbox/command.ts'
import { type CommandPorts, changesWords, commandTool, lineOf, ofSession, readsSandbox } from './command-ports.ts'

const id = z.string().max(64).describe('Its id, as run_command gives it.')
const reads = {
  tier: 'green',
  shows: 'conversation',
  touches: [{ kind: 'read', on: 'sandbox' }],
  effects: readsSandbox,
} as const
const longestWaitS = 60
const mostLines = 200

export const checkCommand = commandTool({
  name: 'check_command',
  title: 'Look at a command',
  ...reads,
  description:
    'Waits up to `wait` seconds for a command in the background, and returns its state and output; with `line`, 200 lines of its log from there on.',
  timeoutMs: (longestWaitS + 10) * 1000,
  input: z.strictObject({
    command: id,
    wait: z.number().min(0).max(longestWaitS).optional(),
    line: z.int().min(0).optional().describe('From 0.'),
  }),
  async run({ command: asked, wait = 0, line }, context, { commands }) {
    ofSession(commands, asked, context.sessionId)
    const command =
      (await commands.wait(asked, wait * 1000, context.signal)) ?? ofSession(commands, asked, context.sessionId)
    const { state } = command
    const output = await commands.output(asked, line === undefined ? undefined : { line, most: mostLines })
    const words = state.kind === 'running' ? 'still running' : `${endWords(state)}, ${changesWords(state)}`
    return {
      text: [`${asked}: ${words}.`, 'output:', output].join('\n'),
      summary: words,
      data: {
        command: asked,
        status: state.kind,
        ...(state.kind === 'ended' && { exitCode: state.exitCode, changes: state.changes.length }),
      },
    }
  },
})

export const listCommands = commandTool({
  name: 'list_commands',
  title: 'List the commands of this conversation',
  ...reads,
  description: 'The commands of this conversation, with their state.',
  timeoutMs: 10_000,
  input: z.strictObject({}),
  async run(_, { sessionId }, { commands }) {
    const found = sessionId === undefined ? [] : commands.of(sessionId).slice(-50)
    const text = found.map((command) => lineOf(command, Date.now())).join('\n')
    return {
      text: text === '' ? 'There are none.' : text,
      summary: `${found.length} commands`,
      data: { count: found.length },
    }
  },
})

const acts = (sentence: string, deed: string): Effect[] => [
  { kind: 'execute', on: 'sandbox', target: sandboxTarget, sentence, deed },
]

const outwards: Effect = {
  kind: 'network',
  on: 'sandbox',
  target: sandboxTarget,
  sentence: 'The command has a way out of the sandbox.',
  atLeast: { tier: 'red', because: 'The command may send what it is given out of the sandbox.', isAlways: true },
}

export const sendInput = commandTool({
  name: 'send_input',
  title: 'Write to a command’s input',
  description: 'Writes a text to the stdin of a command in the background. End a line with a line feed.',
  tier: 'yellow',
  touches: [
    { kind: 'execute', on: 'sandbox' },
    { kind: 'network', on: 'sandbox' },
  ],
  raises: [{ tier: 'red', words: 'a command that has a way out of the sandbox' }],
  // The command may send its input out of the sandbox, just as it may send the text of the command itself.
  effects: ({ command }, _world, ports?: CommandPorts) => [
    ...acts('The text goes to the input of a command in the sandbox.', 'write to a command’s input'),
    ...((ports?.commands.get(command)?.egress.length ?? 0) === 0 ? [] : [outwards]),
  ],
  undo: () => ({ kind: 'none', because: 'Only the sandbox feels it.', losesNothing: true }),
  ending: () => ({ look: 'check_command shows whether the command has taken it.' }),
  timeoutMs: 10_000,
  input: z.strictObject({ command: id, text: z.string().min(1).max(20_000) }),
  async run({ command: asked, text }, { sessionId }, { commands }) {
    ofSession(commands, asked, sessionId)
    const isTaken = commands.write(asked, text)
    const words = isTaken ? 'written' : 'it takes no input: it has ended, or was not started in the background'
    return { text: `${asked}: ${words}.`, summary: words, data: { command: asked, isTaken }, isError: !isTaken }
  },
})

export const stopCommand = commandTool({
  name: 'stop_command',
  title: 'Stop a command',
  description: 'Ends a command in the background, with all that it started.',
  tier: 'yellow',
  touches: [{ kind: 'execute', on: 'sandbox' }],
  effects: () => acts('The command in the sandbox ends.', 'stop a command in the sandbox'),
  undo: () => ({ kind: 'none', because: 'A command that was stopped can be run again.', losesNothing: true }),
  ending: () => ({ look: 'list_commands shows whether it has ended.' }),
  timeoutMs: 15_000,
  input: z.strictObject({ command: id }),
  async run({ command: asked }, { sessionId, signal }, { commands }) {
    ofSession(commands, asked, sessionId)
    const isStopped = commands.stop(asked)
    const { state } = (await commands.wait(asked, 5_000, signal)) ?? ofSession(commands, asked, sessionId)
    const words = state.kind === 'running' ? 'still ending' : endWords(state)
    return { text: `${asked}: ${words}.`, summary: words, data: { command: asked, isStopped } }
  },
})
