import { applyChanges } from './apply-changes.ts'
import { runCommand } from './run-command.ts'
import { checkCommand, listCommands, sendInput, stopCommand } from './watch-commands.ts'

/** The tools over commands in the sandbox. */
export const commandTools = [runCommand, checkCommand, listCommands, sendInput, stopCommand, applyChanges]
