import { existsSync } from 'node:fs'
import { type Config, ConfigError, readConfig } from './config.ts'
import { type Changes, readEnvFile, settingsPath, writeEnvFile } from './env-file.ts'
import { createFill } from './fillers.ts'
import { type InForce, settingsInForce } from './in-force.ts'
import { isModelVariable, readModels } from './model.ts'
import { filledModels, type ModelsFile, readableModels, readModelsFile } from './models-file.ts'
import { pathOf } from './path-of.ts'
import {
  asConflict,
  keySources,
  leaveSealed,
  type Opener,
  openerOf,
  openLeaves,
  type Sealing,
  sealLeaves,
} from './sealing.ts'
import { settingLeaves } from './secret-leaves.ts'
import { settings } from './settings.ts'

type Environment = Record<string, string | undefined>

const isSet = (value: string | undefined) => value !== undefined && value.trim() !== ''
/** If the environment sets one variable of a group, no saved variable of the group is used, because a saved secret must not go to another server. */
const groups = settings.groups()

/** The saved settings of the data dir that the environment does not override. @throws ConfigError if the file cannot be read */
function savedSettings(env: Environment, open: Opener): Record<string, string> {
  const saved = whatCounts(readable(settingsPath(dataDirOf(env))), env)
  openLeaves(settingLeaves(saved), open)
  return saved
}

const dataDirOf = (env: Environment) => pathOf(isSet(env.JARVIS_DATA_DIR) ? String(env.JARVIS_DATA_DIR) : '~/.jarvis')

function readable(path: string): Record<string, string> {
  try {
    return readEnvFile(path)
  } catch (error) {
    throw new ConfigError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'not understood'}).`)
  }
}

function whatCounts(saved: Record<string, string>, env: Environment): Record<string, string> {
  const given = Object.keys(env).filter((key) => isSet(env[key]))
  const owned = groups.filter((group) => given.some((key) => group.test(key)))
  return Object.fromEntries(
    Object.entries(saved).filter(([key]) => !given.includes(key) && !owned.some((group) => group.test(key))),
  )
}

/**
 * The models that result from a change of the saved settings. @param file the named providers after the change @throws JarvisError
 * `invalid_request`, `conflict`
 */
export function modelsAfter(
  { modelEnvironment, ...sealing }: Pick<Config, 'dataDir' | 'secretKeys' | 'modelEnvironment' | 'variables'>,
  changes: Changes = {},
  file: ModelsFile = readModelsFile(sealing.dataDir, openerOf(sealing)),
) {
  const saved = { ...readEnvFile(settingsPath(sealing.dataDir)), ...changes }
  asConflict(() => openLeaves(settingLeaves(saved), openerOf(sealing)))
  const set = Object.entries(saved).flatMap(([key, value]) =>
    value === undefined || value === '' ? [] : [[key, value]],
  )
  const models = Object.entries({ ...whatCounts(Object.fromEntries(set), modelEnvironment), ...modelEnvironment })
  const filled = filledModels(file, createFill(sealing))
  return readModels(Object.fromEntries(models.filter(([key]) => isModelVariable(key))), filled)
}

/** Loads a settings file into the environment, if it exists. Variables that are set already keep their values. @throws ConfigError */
export function loadEnv(path = '.env'): void {
  try {
    if (existsSync(path)) process.loadEnvFile(path)
  } catch (error) {
    throw new ConfigError(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}). It must be a file, for example a copy of .env.example.`,
    )
  }
}

/** Reads the configuration from the environment, and from the saved settings for variables that the environment does not set. @throws ConfigError */
export const readStartConfig = (env: Environment): Config =>
  readWith(env, openerOf({ dataDir: dataDirOf(env), secretKeys: keySources(env) }))

/**
 * As `readStartConfig`, for commands that use no saved secret: sealed values stay sealed, because their key may not be available. @throws
 * ConfigError
 */
export const readSealedConfig = (env: Environment): Config => readWith(env, leaveSealed)

function readWith(env: Environment, open: Opener): Config {
  const saved = savedSettings(env, open)
  const read = readableModels(dataDirOf(env), open)
  const variables = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  const fill = createFill({ dataDir: dataDirOf(env), secretKeys: keySources(env), variables })
  const models = { ...read, file: filledModels(read.file, fill) }
  const problems: string[] = []
  for (;;) {
    try {
      const config = readConfig(env, saved, models)
      return problems.length === 0 ? config : Object.freeze({ ...config, settingsProblems: problems })
    } catch (error) {
      const [name = ''] = error instanceof ConfigError ? error.message.split(' ', 1) : []
      if (!(name in saved)) throw error
      const where = `${(error as Error).message} It was saved by the dashboard, in settings.env of the data dir.`
      if (settings.get(name)?.stopsStart === true) throw new ConfigError(where)
      problems.push(`${where} It is not used.`)
      // If nobody chose a model, the demo answers. No other configured model is used, because it may run at a place to which nobody agreed to send
      // conversations.
      if (isModelVariable(name) && !isSet(env.JARVIS_MODEL)) saved.JARVIS_MODEL ??= 'demo'
      const group = groups.find((one) => one.test(name))
      for (const other of Object.keys(saved)) if (other === name || group?.test(other) === true) delete saved[other]
    }
  }
}

/** Reads the configuration that the next start would use. @param outside the environment without `.env` @throws ConfigError */
export const readNextConfig = (outside: Environment): Config => readStartConfig({ ...readable('.env'), ...outside })

/**
 * Reads every setting with the value in force. Sealed values stay sealed. @param outside the environment without `.env` @throws ConfigError if
 * `settings.env` cannot be read
 */
export function readInForce(env: Environment, outside: Environment): InForce[] {
  const all = readable(settingsPath(dataDirOf(env)))
  return settingsInForce(env, outside, { all, counting: whatCounts(all, env) })
}

/** Saves settings in the data dir, with secrets sealed. @throws JarvisError `conflict` if they cannot be sealed */
export function saveSettings(of: Sealing, changes: Changes): void {
  const written = { ...changes }
  sealLeaves(settingLeaves(written), of)
  writeEnvFile(settingsPath(of.dataDir), written)
}
