import { type Config, ConfigError } from '../config/config.ts'
import { loadEnv, readStartConfig } from '../config/settings-file.ts'
import { JarvisError } from '../protocol/index.ts'
import { DatabaseRefused } from '../store/sqlite/database.ts'
import { toStorageFailure } from '../store/sqlite/storage-failure.ts'

const usage = `Usage: npm run jarvis -- COMMAND

  setup [--url URL --token-id ID --yes …]               connect your cluster: asks, tests, writes .env; setup --help
  doctor [--json] [--no-model]                          check everything and say what to do; exits 1 when something is broken

  mcp [--url http://host:4000]                          MCP over stdio; starts a server where none runs

  token create NAME --door mcp,v1,api,metrics           make a token for a program; it is shown once and can never approve
      [--scope read|ask] [--expires 30d]                read is the default
  token list                                            names, doors, scope, last use
  token revoke NAME                                     the program is refused from now on

  journal verify                                        follow the chain; names the first broken entry and exits 1
  journal export [FILE] [--force]                       every entry as JSONL, to standard output or FILE
  journal prune --before 2026-01-01 | --older-than 90d  seal old entries into files that may be moved away

  changes [--target vm/101]                             what JARVIS changed, newest first, and what takes it back
  changes keep ID                                       a change that would go back by itself stays

  jobs                                                  what runs by itself: next time, last outcome
  jobs pause ID, jobs resume ID                         one of them
  jobs stop, jobs start                                 all of them
  budgets [set PART UNIT NUMBER|none]                   what models used today and may use; sets a limit
  alerts [--ended]                                      what the checks found wrong, or what ended
  checks                                                what is looked at, when, and what could not be seen
  windows [add NAME --objects LIST --for 2h | remove ID]  maintenance windows, in which nobody is told of alerts
  runbooks [list]                                       the runbooks, their inputs, and what is wrong with them
  runbooks run NAME [node=pve …] [--wait 600]           start one on the running server, and wait; it decides nothing
  runbooks check FILE                                   every fault of a runbook with its line; exits 1 when there is one

  models                                                providers, their models, and which one answers; models help shows more
  agents                                                the agents: what each may do, and its bindings
  agents check [FILE]                                   every problem of an agents.yaml with its line; exits 1 when there is one
  agents which --door mcp --token NAME                  which agent would answer, and by which binding
  skills [list]                                         the skills, their state, faults and lines to look at
  skills check FOLDER                                   the same of any folder; exits 1 where it cannot be approved

  profile [NAME]                                        how much is asked: lockdown, restricted, balanced, permissive, unrestricted
  policy check [FILE]                                   every problem of a policy.yaml with its line, or what it changes
  policy replay [FILE] [--since 7d]                     which calls of the journal it would have judged differently
  policy print                                          what is in force, with all that is shipped

  backup FILE [--force]                                 the whole database in one file, while the server runs
  restore FILE [--force]                                put a backup in its place; the server must be stopped`

type Command = (config: Config, args: string[]) => void | Promise<void>
type EarlyCommand = (env: Record<string, string | undefined>, args: string[]) => Promise<void>

/** Each command loads only what it needs, so that most of them start in half the time. */
const commands: Record<string, () => Promise<Command>> = {
  mcp: async () => (await import('./mcp.ts')).mcp,
  token: async () => (await import('./token.ts')).token,
  'mcp-token': async () => (await import('./token.ts')).mcpToken,
  journal: async () => (await import('./journal.ts')).journal,
  changes: async () => (await import('./changes.ts')).changes,
  jobs: async () => (await import('./jobs.ts')).jobs,
  budgets: async () => (await import('./budgets.ts')).budgets,
  alerts: async () => (await import('./alerts.ts')).alerts,
  checks: async () => (await import('./checks.ts')).checks,
  windows: async () => (await import('./windows.ts')).windows,
  models: async () => (await import('./models.ts')).models,
  agents: async () => (await import('./agents.ts')).agents,
  policy: async () => (await import('./policy.ts')).policy,
  skills: async () => (await import('./skills.ts')).skills,
  runbooks: async () => (await import('./runbooks.ts')).runbooks,
  profile: async () => (await import('./profile.ts')).profile,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./backup.ts')).restore,
}

/** Commands that run before the configuration is read, because it may be broken. */
const beforeConfig: Record<string, () => Promise<EarlyCommand>> = {
  doctor: async () => (await import('./doctor.ts')).doctor,
  async setup() {
    const { setup } = await import('./setup.ts')
    return (env, args) => setup({ env, outside }, args)
  },
}

const outside = { ...process.env }

try {
  loadEnv()
  const [name = '', ...args] = process.argv.slice(2)
  const early = Object.hasOwn(beforeConfig, name) ? beforeConfig[name] : undefined
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (early !== undefined) {
    await (await early())(process.env, args)
  } else if (command === undefined) {
    console.error(usage)
    process.exitCode = name === '' || name === 'help' || name === '--help' ? 0 : 1
  } else {
    await (await command())(readStartConfig(process.env), args)
  }
} catch (thrown) {
  const error = toStorageFailure(thrown)
  const isNamed = error instanceof ConfigError || error instanceof DatabaseRefused || error instanceof JarvisError
  // System errors name the file and the reason, so their message is enough.
  if (!isNamed && !(error instanceof Error && 'syscall' in error)) throw error
  console.error(error.message)
  process.exitCode = 1
}
