import { JarvisError } from 'protocol'
import { ConfigError } from '../config/config.ts'
import { DatabaseRefused } from '../store/sqlite/database.ts'
import { toStorageFailure } from '../store/sqlite/storage-failure.ts'
import type { Commands } from './command.ts'
import { commands as allCommands } from './commands.ts'
import { exitCodes } from './exit-codes.ts'
import { helpOf, unknownCommand } from './help.ts'
import { ServerRefused } from './remote/remote.ts'

type Env = Record<string, string | undefined>

/** Without words the command starts a conversation at a terminal. Elsewhere nobody can type, so it prints the help. */
const usual = () => (process.stdin.isTTY === true && process.stdout.isTTY === true ? 'chat' : 'help')

/** Commands that may be written as an option. */
const commandOf = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['-V', 'version'],
])

/**
 * Runs one command line. It prints to the console, and may set `process.exitCode`. @param words the command's name and its arguments; without any, a
 * conversation or the help @param env the environment including `.env`; `outside`: the environment without it @throws the errors that `exitOf`
 * knows, and any other fault
 */
export async function runCommand(
  [given = usual(), ...args]: string[],
  env: Env,
  { outside = env, commands = allCommands }: { outside?: Env; commands?: Commands } = {},
): Promise<void> {
  const name = commandOf.get(given) ?? given
  const command = commands.get(name)
  if (command === undefined) throw unknownCommand(name, commands)
  if (!command.hasOwnHelp && (args.includes('--help') || args.includes('-h'))) return console.log(helpOf(command))
  await command.run({ args, env, outside, commands })
}

/** The message and the exit code for an error that ended a command. Undefined for an unexpected error, which the caller throws again. */
export function exitOf(thrown: unknown): { message: string; code: number } | undefined {
  const error = toStorageFailure(thrown)
  const isNamed = error instanceof ConfigError || error instanceof DatabaseRefused || error instanceof JarvisError
  // System errors name the file and the reason, so their message is enough.
  if (!isNamed && !(error instanceof Error && 'syscall' in error)) return undefined
  const isUsage = error instanceof JarvisError && error.code === 'invalid_request' && !(error instanceof ServerRefused)
  return { message: error.message, code: isUsage ? exitCodes.usedWrongly : exitCodes.failed }
}
