import { applyChanges } from './apply-changes.ts'
import type { CommandFacts } from './command-ports.ts'
import { runCommand } from './run-command.ts'
import { checkCommand, listCommands, sendInput, stopCommand } from './watch-commands.ts'

/** The tools over commands in the sandbox. */
export const commandTools = (facts: CommandFacts) => [
  runCommand(facts),
  checkCommand,
  listCommands,
  sendInput(facts),
  stopCommand,
  applyChanges(facts),
]
