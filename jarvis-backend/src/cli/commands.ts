import { Commands } from './command.ts'
import { dataCommands } from './commands/data.ts'
import { decideCommands } from './commands/decide.ts'
import { lookCommands } from './commands/look.ts'
import { programsCommands } from './commands/programs.ts'
import { setUpCommands } from './commands/set-up.ts'
import { talkCommands } from './commands/talk.ts'
import { watchCommands } from './commands/watch.ts'

/** The commands of JARVIS, known without a running server. */
export const commands = new Commands([
  ...talkCommands,
  ...lookCommands,
  ...decideCommands,
  ...watchCommands,
  ...programsCommands,
  ...setUpCommands,
  ...dataCommands,
])
