import { JarvisError } from 'protocol'
import { type Config, ConfigError } from '../config/config.ts'
import { readSealedConfig, readStartConfig } from '../config/settings-file.ts'
import { DatabaseRefused } from '../store/sqlite/database.ts'
import { toStorageFailure } from '../store/sqlite/storage-failure.ts'
import { helpOf, helpText, nearest, referenceText } from './help.ts'
import { ServerRefused } from './remote/remote.ts'
import { type CommandName, exitCodes, isCommand } from './table.ts'

type Env = Record<string, string | undefined>
type Command = (config: Config, args: string[]) => void | Promise<void>
type EarlyCommand = (env: Env, args: string[], outside: Env) => void | Promise<void>

/** Commands that run before the configuration is read, because it may be broken or is not needed. */
const early = {
  doctor: async () => (await import('./doctor.ts')).doctor,
  async setup() {
    const { setup } = await import('./setup.ts')
    return (env, args, outside) => setup({ env, outside }, args)
  },
  async completion() {
    const { completion } = await import('./completion.ts')
    return (_env, args) => completion(args)
  },
  help: async () => (_env, args) => help(args),
} satisfies Partial<Record<CommandName, () => Promise<EarlyCommand>>>

/** Each command loads only what it needs, so that most of them start in half the time. */
const commands: Record<Exclude<CommandName, keyof typeof early>, () => Promise<Command>> = {
  chat: async () => (await import('./chat.ts')).chat,
  ask: async () => (await import('./ask.ts')).ask,
  call: async () => (await import('./call.ts')).call,
  sessions: async () => (await import('./sessions.ts')).sessions,
  share: async () => (await import('./share.ts')).share,
  replay: async () => (await import('./sessions.ts')).replay,
  children: async () => (await import('./sessions.ts')).children,
  context: async () => (await import('./sessions.ts')).context,
  checkpoints: async () => (await import('./sessions.ts')).checkpoints,
  tools: async () => (await import('./tools.ts')).tools,
  watch: async () => (await import('./watch.ts')).watch,
  logs: async () => (await import('./logs.ts')).logs,
  waiting: async () => (await import('./decide.ts')).waiting,
  decide: async () => (await import('./decide.ts')).decide,
  grants: async () => (await import('./grants.ts')).grants,
  questions: async () => (await import('./asked.ts')).questions,
  answer: async () => (await import('./asked.ts')).answer,
  plan: async () => (await import('./plan.ts')).plan,
  async run() {
    const { runbooks } = await import('./runbooks.ts')
    return (config, args) => runbooks(config, ['run', ...args])
  },
  jobs: async () => (await import('./jobs.ts')).jobs,
  budgets: async () => (await import('./budgets.ts')).budgets,
  alerts: async () => (await import('./alerts.ts')).alerts,
  checks: async () => (await import('./checks.ts')).checks,
  workbench: async () => (await import('./workbench.ts')).workbench,
  roles: async () => (await import('./roles.ts')).roles,
  windows: async () => (await import('./windows.ts')).windows,
  changes: async () => (await import('./changes.ts')).changes,
  runbooks: async () => (await import('./runbooks.ts')).runbooks,
  models: async () => (await import('./models.ts')).models,
  agents: async () => (await import('./agents.ts')).agents,
  skills: async () => (await import('./skills.ts')).skills,
  mcp: async () => (await import('./mcp.ts')).mcp,
  token: async () => (await import('./token.ts')).token,
  'mcp-token': async () => (await import('./token.ts')).mcpToken,
  login: async () => (await import('./login.ts')).login,
  profile: async () => (await import('./profile.ts')).profile,
  user: async () => (await import('./user.ts')).user,
  channels: async () => (await import('./channels.ts')).channels,
  signers: async () => (await import('./signers.ts')).signers,
  policy: async () => (await import('./policy.ts')).policy,
  journal: async () => (await import('./journal.ts')).journal,
  secrets: async () => (await import('./secrets.ts')).secrets,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./backup.ts')).restore,
}

function help([name, ...rest]: string[]): void {
  if (name === '--markdown') console.log(referenceText())
  else if (name === undefined) console.log(helpText())
  else if (isCommand(name) && rest.length === 0) console.log(helpOf(name))
  else throw new JarvisError('invalid_request', unknown(name))
}

function unknown(name: string): string {
  const near = nearest(name)
  return `There is no command ${JSON.stringify(name)}.${near === undefined ? '' : ` Did you mean ${near}?`} jarvis help lists all.`
}

/** At a terminal a conversation begins; elsewhere nobody could type. */
const usual = () => (process.stdin.isTTY === true && process.stdout.isTTY === true ? 'chat' : 'help')

/**
 * Runs one command line. It prints to the console, and may set `process.exitCode`.
 * @param words the command's name and its arguments; without any, a conversation or the help
 * @param env the environment including `.env`; `outside`: without it
 * @throws what `exitOf` names, and any other fault
 */
export async function runCommand([given = usual(), ...args]: string[], env: Env, outside: Env = env): Promise<void> {
  const name = given === '--help' || given === '-h' ? 'help' : given
  // `setup` has a help of its own.
  if (name !== 'setup' && isCommand(name) && (args.includes('--help') || args.includes('-h'))) return help([name])
  if (!isCommand(name)) throw new JarvisError('invalid_request', unknown(name))
  if (name in early) {
    const command: EarlyCommand = await early[name as keyof typeof early]()
    return command(env, args, outside)
  }
  const command = await commands[name as keyof typeof commands]()
  // The other commands use no saved secret, and serve where the key is not: beside a service that alone has it, and after its loss.
  const read = name === 'models' || name === 'mcp' ? readStartConfig : readSealedConfig
  await command(read(env), args)
}

/** What to say of a fault that ended a command, and the code to exit with; undefined for one that nobody foresaw. */
export function exitOf(thrown: unknown): { message: string; code: number } | undefined {
  const error = toStorageFailure(thrown)
  const isNamed = error instanceof ConfigError || error instanceof DatabaseRefused || error instanceof JarvisError
  // System errors name the file and the reason, so their message is enough.
  if (!isNamed && !(error instanceof Error && 'syscall' in error)) return undefined
  const isUsage = error instanceof JarvisError && error.code === 'invalid_request' && !(error instanceof ServerRefused)
  return { message: error.message, code: isUsage ? exitCodes.usedWrongly : exitCodes.failed }
}
